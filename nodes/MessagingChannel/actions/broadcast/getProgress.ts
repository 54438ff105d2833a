import type { Operation } from '../../operation/operation';
import { broadcastId } from './broadcastId';

export const getProgress: Operation = {
	value: 'getProgress',
	name: 'Get Progress',
	action: 'Get progress of a broadcast',
	description: 'Get how many messages of a broadcast are sent, failed and still to come',
	endpoint: {
		method: 'GET',
		path: '/messages/broadcast/{id}/progress',
		permission: 'messages:read',
		inferred: 'endpoint',
	},
	fields: [broadcastId],
};
