import { templateId } from '../../fields/templates';
import type { Operation } from '../../operation/operation';
import { category, content, isActive, language, name, variables } from './templateFields';

export const update: Operation = {
	value: 'update',
	name: 'Update',
	action: 'Update template',
	description: 'Update a template. Only the fields that you add are changed.',
	endpoint: { method: 'PUT', path: '/templates/{id}', permission: 'messages:send' },
	fields: [templateId],
	updateFields: [isActive, category, content, language, name, variables],
};
