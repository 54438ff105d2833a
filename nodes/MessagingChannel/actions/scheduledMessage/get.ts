import type { Operation } from '../../operation/operation';
import { scheduledMessageId } from './scheduledMessageFields';

export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get scheduled message',
	description: 'Retrieve a scheduled message and its status',
	endpoint: {
		method: 'GET',
		path: '/messages/scheduled/{id}',
		permission: 'messages:read',
		inferred: 'endpoint',
	},
	fields: [scheduledMessageId],
};
