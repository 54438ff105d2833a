import { recordsOf } from '../../api/values';
import { deleted, type Operation } from '../../operation/operation';
import { scheduledMessageId } from './scheduledMessageFields';

export const cancel: Operation = {
	value: 'cancel',
	name: 'Cancel',
	action: 'Cancel scheduled message',
	description: 'Cancel a scheduled message so that it is not sent',
	endpoint: {
		method: 'DELETE',
		path: '/messages/scheduled/{id}',
		permission: 'messages:send',
		inferred: 'endpoint',
	},
	fields: [scheduledMessageId],
	output: (body) => (body.data ? recordsOf(body) : deleted()),
};
