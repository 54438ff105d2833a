import type { Operation } from '../../operation/operation';
import { autoReplyId } from './autoReplyFields';

export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get auto-reply',
	description: 'Retrieve an auto-reply rule',
	endpoint: { method: 'GET', path: '/auto-replies/{id}', permission: 'messages:read', inferred: 'endpoint' },
	fields: [autoReplyId],
};
