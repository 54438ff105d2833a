import { GET_WEBHOOK } from '../../api/endpoints';
import type { Operation } from '../../operation/operation';

export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get webhook',
	description: "Get where the account's events are sent to, and which ones",
	endpoint: GET_WEBHOOK,
};
