import { phone } from '../../fields/contacts';
import { tags } from '../../fields/tags';
import type { Operation } from '../../operation/operation';
import { customFields, isBlocked, name, notes } from './contactFields';

export const update: Operation = {
	value: 'update',
	name: 'Update',
	action: 'Update contact',
	description: 'Update a contact. Only the fields that you add are changed.',
	endpoint: { method: 'PUT', path: '/contacts/{phone}', permission: 'chats:read' },
	fields: [phone],
	updateFields: [
		isBlocked,
		customFields,
		name,
		notes,
		{ ...tags, hint: 'These tags replace all current tags of the contact' },
	],
};
