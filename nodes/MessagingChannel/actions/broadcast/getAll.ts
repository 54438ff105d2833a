import type { Operation } from '../../operation/operation';

export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many broadcasts',
	description: 'Get a list of broadcasts',
	call: { method: 'GET', path: '/messages/broadcast', permission: 'messages:read', inferred: 'endpoint' },
	paging: 'page',
};
