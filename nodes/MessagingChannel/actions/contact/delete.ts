import { phone } from '../../fields/contacts';
import { deleted, type Operation } from '../../operation/operation';

export const deleteContact: Operation = {
	value: 'delete',
	name: 'Delete',
	action: 'Delete contact',
	description: 'Delete a contact permanently. The chat history is kept.',
	endpoint: { method: 'DELETE', path: '/contacts/{phone}', permission: 'chats:read' },
	fields: [phone],
	output: deleted,
};
