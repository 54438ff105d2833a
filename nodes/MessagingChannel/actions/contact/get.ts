import { phone } from '../../fields/contacts';
import type { Operation } from '../../operation/operation';

export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get contact',
	description: 'Retrieve a contact with its tags and notes',
	endpoint: { method: 'GET', path: '/contacts/{phone}', permission: 'chats:read' },
	fields: [phone],
};
