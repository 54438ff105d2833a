import type { Operation } from '../../operation/operation';

export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many broadcasts',
	description: 'Retrieve a list of broadcasts',
	endpoint: { method: 'GET', path: '/messages/broadcast', permission: 'messages:read', inferred: 'endpoint' },
	pagination: 'page',
};
