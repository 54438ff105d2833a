import { color } from '../../fields/color';
import { nameField } from '../../fields/name';
import type { Operation } from '../../operation/operation';

export const create: Operation = {
	value: 'create',
	name: 'Create',
	action: 'Create group',
	description: 'Create a group to sort contacts into. It is not a group chat.',
	endpoint: { method: 'POST', path: '/groups', permission: 'chats:write' },
	fields: [{ ...nameField('group', 'Wholesale'), required: true }],
	additionalFields: [
		color,
		{
			displayName: 'Description',
			name: 'description',
			type: 'string',
			default: '',
			placeholder: 'e.g. Customers who buy in bulk',
			description: 'What the group is for',
		},
		{
			displayName: 'Icon',
			name: 'icon',
			type: 'string',
			default: '',
			placeholder: 'e.g. star',
			description: 'Name of the icon, as shown in the account panel',
		},
	],
};
