import type { Operation } from '../../operation/operation';

export const getHealth: Operation = {
	value: 'getHealth',
	name: 'Get Health',
	action: 'Get service health',
	description: 'Check whether the service is up and the account is connected to the channel',
	endpoint: { method: 'GET', path: '/health', permission: 'valid key' },
};
