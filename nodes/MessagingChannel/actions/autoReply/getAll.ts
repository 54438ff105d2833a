import type { Operation } from '../../operation/operation';

export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many auto-replies',
	description: 'Retrieve a list of auto-reply rules',
	endpoint: { method: 'GET', path: '/auto-replies', permission: 'messages:read', inferred: 'endpoint' },
	pagination: 'none',
};
