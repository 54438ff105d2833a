import type { Operation } from '../../operation/operation';
import { autoReplyId, isActive, name, reply, triggerType, triggerValue } from './autoReplyFields';

export const update: Operation = {
	value: 'update',
	name: 'Update',
	action: 'Update auto-reply',
	description: 'Update an auto-reply rule. Only the fields that you add are changed.',
	endpoint: { method: 'PUT', path: '/auto-replies/{id}', permission: 'messages:send', inferred: 'endpoint' },
	fields: [autoReplyId],
	updateFields: [isActive, name, reply, triggerType, triggerValue],
};
