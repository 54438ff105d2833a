import type { Operation } from '../../operation/operation';
import { category, content, language, name, variables } from './templateFields';

export const create: Operation = {
	value: 'create',
	name: 'Create',
	action: 'Create template',
	description: 'Create a reusable text with placeholders',
	endpoint: { method: 'POST', path: '/templates', permission: 'messages:send' },
	fields: [
		{ ...name, required: true },
		{ ...content, required: true },
	],
	// In an update, what gives nothing changes nothing.
	additionalFields: [category, language, { ...variables, mustResolve: true }],
};
