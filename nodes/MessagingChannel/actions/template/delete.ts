import { templateId } from '../../fields/templates';
import { deleted, type Operation } from '../../operation/operation';

export const deleteTemplate: Operation = {
	value: 'delete',
	name: 'Delete',
	action: 'Delete template',
	description: 'Delete a template permanently',
	endpoint: { method: 'DELETE', path: '/templates/{id}', permission: 'messages:send' },
	fields: [templateId],
	output: deleted,
};
