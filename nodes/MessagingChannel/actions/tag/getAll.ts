import type { Operation } from '../../operation/operation';

export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many tags',
	description: 'Get a list of tags',
	endpoint: { method: 'GET', path: '/tags', permission: 'chats:read' },
	pagination: 'none',
};
