import { GET_CONTACTS } from '../../api/endpoints';
import { tags } from '../../fields/tags';
import type { Operation } from '../../operation/operation';

export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many contacts',
	description: 'Get a list of contacts',
	endpoint: GET_CONTACTS,
	pagination: 'page',
	filters: [
		{
			displayName: 'On Channel',
			name: 'isChannelUser',
			type: 'boolean',
			default: true,
			description: 'Whether to return the contacts that are registered on the channel, or else the others',
		},
		{
			displayName: 'Search',
			name: 'search',
			type: 'string',
			default: '',
			placeholder: 'e.g. Nathan',
			description: 'Only contacts whose name or phone number contains this text',
		},
		{
			...tags,
			hint: 'Only contacts with these tags',
			toApi: (names: string[]) => ({ tags: names.join(',') }),
		},
	],
	options: [
		{
			displayName: 'Sort By',
			name: 'sortBy',
			type: 'string',
			default: 'last_message_at',
			description: 'Field to sort the contacts by, by the name that the service gives it',
		},
		{
			displayName: 'Sort Order',
			name: 'sortOrder',
			type: 'options',
			default: 'desc',
			description: 'Direction to sort the contacts in',
			options: [
				{ name: 'Ascending', value: 'asc' },
				{ name: 'Descending', value: 'desc' },
			],
		},
	],
};
