import type { Operation } from '../../operation/operation';
import { broadcastId } from './broadcastId';

export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get broadcast',
	description: 'Retrieve a broadcast',
	endpoint: {
		method: 'GET',
		path: '/messages/broadcast/{id}',
		permission: 'messages:read',
		inferred: 'endpoint',
	},
	fields: [broadcastId],
};
