import { color } from '../../fields/color';
import { nameField } from '../../fields/name';
import type { Operation } from '../../operation/operation';

export const create: Operation = {
	value: 'create',
	name: 'Create',
	action: 'Create tag',
	description: 'Create a tag for contacts',
	endpoint: { method: 'POST', path: '/tags', permission: 'chats:write' },
	fields: [{ ...nameField('tag', 'VIP'), required: true }],
	additionalFields: [color],
};
