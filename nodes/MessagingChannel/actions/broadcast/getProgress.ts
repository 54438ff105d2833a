import type { Operation } from '../../operation/operation';
import { broadcastId } from './broadcastId';

export const getProgress: Operation = {
	value: 'getProgress',
	name: 'Get Progress',
	action: 'Get broadcast progress',
	description: 'Retrieve the number of sent, failed and pending messages of a broadcast',
	endpoint: {
		method: 'GET',
		path: '/messages/broadcast/{id}/progress',
		permission: 'messages:read',
		inferred: 'endpoint',
	},
	fields: [broadcastId],
};
