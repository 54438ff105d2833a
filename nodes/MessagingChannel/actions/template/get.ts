import { templateId } from '../../fields/templates';
import type { Operation } from '../../operation/operation';

export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get template',
	description: 'Get a template with its text and variables',
	endpoint: { method: 'GET', path: '/templates/{id}', permission: 'messages:read' },
	fields: [templateId],
};
