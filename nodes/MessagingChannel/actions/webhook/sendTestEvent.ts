import { SEND_TEST_EVENT } from '../../api/endpoints';
import type { Operation } from '../../operation/operation';

export const sendTestEvent: Operation = {
	value: 'test',
	name: 'Send Test Event',
	action: 'Send test event',
	description: 'Send a sample event to the webhook URL',
	endpoint: SEND_TEST_EVENT,
};
