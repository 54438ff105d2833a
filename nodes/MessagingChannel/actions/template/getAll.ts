import { GET_TEMPLATES } from '../../api/endpoints';
import type { Operation } from '../../operation/operation';
import { category, isActive } from './templateFields';

export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many templates',
	description: 'Get a list of templates',
	endpoint: GET_TEMPLATES,
	pagination: 'none',
	filters: [
		{ ...isActive, description: 'Whether to return the templates in use, or else those switched off' },
		{ ...category, default: '', description: 'Only templates of this group' },
		{
			displayName: 'Search',
			name: 'search',
			type: 'string',
			default: '',
			placeholder: 'e.g. shipped',
			description: 'Only templates that contain this text',
		},
	],
};
