import { GET_TEMPLATES } from '../../api/endpoints';
import type { Operation } from '../../operation/operation';
import { category, isActive } from './templateFields';

export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many templates',
	description: 'Retrieve a list of templates',
	endpoint: GET_TEMPLATES,
	pagination: 'none',
	filters: [
		{ ...isActive, description: 'Whether to return active templates or inactive templates' },
		{ ...category, default: '', description: 'Return only templates in this category' },
		{
			displayName: 'Search',
			name: 'search',
			type: 'string',
			default: '',
			placeholder: 'e.g. shipped',
			description: 'Return only templates that contain this text',
			toApi: (search: string) => ({ search: search.trim() }),
		},
	],
};
