import type { Operation } from '../../operation/operation';

export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many groups',
	description:
		'Retrieve a list of the groups that contacts are sorted into. Group chats are under Chat > Get Many.',
	endpoint: { method: 'GET', path: '/groups', permission: 'chats:read' },
	pagination: 'none',
};
