import type { Operation } from '../../operation/operation';
import { isActive, name, reply, triggerType, triggerValue } from './autoReplyFields';

export const create: Operation = {
	value: 'create',
	name: 'Create',
	action: 'Create auto-reply',
	description: 'Create a rule that replies to messages automatically',
	endpoint: { method: 'POST', path: '/auto-replies', permission: 'messages:send', inferred: 'body' },
	fields: [
		{ ...name, required: true },
		{ ...triggerType, required: true },
		{ ...triggerValue, required: true },
		{ ...reply, required: true },
	],
	additionalFields: [isActive],
};
