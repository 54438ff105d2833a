import { color } from '../../fields/color';
import type { Operation } from '../../operation/operation';

export const create: Operation = {
	value: 'create',
	name: 'Create',
	action: 'Create tag',
	description: 'Create a label that contacts can carry',
	call: { method: 'POST', path: '/tags', permission: 'chats:write' },
	fields: [
		{
			displayName: 'Name',
			name: 'name',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. VIP',
			description: 'Name of the tag',
		},
	],
	additionalFields: [color],
};
