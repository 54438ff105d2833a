import type { Operation } from '../../operation/operation';

export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get webhook',
	description: "Get where the account's events are sent to, and which ones",
	endpoint: { method: 'GET', path: '/webhooks', permission: 'valid key' },
};
