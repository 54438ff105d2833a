import { GET_HEALTH } from '../../api/endpoints';
import type { Operation } from '../../operation/operation';

export const getHealth: Operation = {
	value: 'getHealth',
	name: 'Get Health',
	action: 'Get service health',
	description: 'Check whether the service is up and the account is connected to the channel',
	endpoint: GET_HEALTH,
};
