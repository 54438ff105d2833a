import type { Operation } from '../../operation/operation';
import { broadcastId } from './broadcastId';

export const cancel: Operation = {
	value: 'cancel',
	name: 'Cancel',
	action: 'Cancel broadcast',
	description: 'Cancel a broadcast. Messages that were already sent are not recalled.',
	endpoint: {
		method: 'POST',
		path: '/messages/broadcast/{id}/cancel',
		permission: 'messages:send',
		idempotent: true,
		ends: true,
		inferred: 'endpoint',
	},
	fields: [broadcastId],
};
