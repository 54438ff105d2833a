import { deleted, type Operation } from '../../operation/operation';
import { autoReplyId } from './autoReplyFields';

export const deleteAutoReply: Operation = {
	value: 'delete',
	name: 'Delete',
	action: 'Delete auto-reply',
	description: 'Delete an auto-reply rule permanently',
	endpoint: {
		method: 'DELETE',
		path: '/auto-replies/{id}',
		permission: 'messages:send',
		inferred: 'endpoint',
	},
	fields: [autoReplyId],
	output: deleted,
};
