import { SEND_TEST_EVENT } from '../../api/endpoints';
import type { Operation } from '../../operation/operation';

export const sendTestEvent: Operation = {
	value: 'test',
	name: 'Test',
	action: 'Send test event to webhook',
	description: 'Have the service send a sample event to the address that is set',
	endpoint: SEND_TEST_EVENT,
};
