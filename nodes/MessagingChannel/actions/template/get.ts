import { GET_TEMPLATE } from '../../api/endpoints';
import { templateId } from '../../fields/templates';
import type { Operation } from '../../operation/operation';

export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get template',
	description: 'Retrieve a template with its text and variables',
	endpoint: GET_TEMPLATE,
	fields: [templateId],
};
