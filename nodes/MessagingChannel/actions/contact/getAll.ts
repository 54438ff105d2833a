import { GET_CONTACTS } from '../../api/endpoints';
import { searchTextOf } from '../../fields/listSearch';
import { tags, validTags } from '../../fields/tags';
import type { Operation } from '../../operation/operation';

export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many contacts',
	description: 'Retrieve a list of contacts',
	endpoint: GET_CONTACTS,
	pagination: 'page',
	filters: [
		{
			displayName: 'On Channel',
			name: 'isChannelUser',
			type: 'boolean',
			default: true,
			description: 'Whether to return contacts that are registered on the channel or contacts that are not',
		},
		{
			displayName: 'Search',
			name: 'search',
			type: 'string',
			default: '',
			placeholder: 'e.g. Nathan',
			description: 'Return only contacts whose name or phone number contains this text',
			toApi: (search: string) => ({ search: searchTextOf(search) }),
		},
		{
			...tags,
			hint: 'Return only contacts with these tags',
			readsEmpty: true,
			toApi: (names: string[]) => ({ tags: validTags(names).join(',') }),
		},
	],
	options: [
		{
			displayName: 'Sort By',
			name: 'sortBy',
			type: 'string',
			default: 'last_message_at',
			placeholder: 'e.g. last_message_at',
			description: 'Field to sort the contacts by, as the service names it',
		},
		{
			displayName: 'Sort Order',
			name: 'sortOrder',
			type: 'options',
			default: 'desc',
			description: 'Direction in which to sort the contacts',
			options: [
				{ name: 'Ascending', value: 'asc' },
				{ name: 'Descending', value: 'desc' },
			],
		},
	],
};
