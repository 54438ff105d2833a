import { GET_ACCOUNT } from '../../api/endpoints';
import type { Operation } from '../../operation/operation';

export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get account',
	description: "Retrieve the account's name, phone number and connection status",
	endpoint: GET_ACCOUNT,
};
