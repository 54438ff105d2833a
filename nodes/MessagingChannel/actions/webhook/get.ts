import { GET_WEBHOOK } from '../../api/endpoints';
import type { Operation } from '../../operation/operation';

export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get webhook',
	description: 'Retrieve the webhook URL of the account and the events that are sent to it',
	endpoint: GET_WEBHOOK,
};
