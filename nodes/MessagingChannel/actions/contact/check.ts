import { personsPhone } from '../../fields/contacts';
import type { Operation } from '../../operation/operation';

export const check: Operation = {
	value: 'check',
	name: 'Check Number',
	action: 'Check phone number',
	description: 'Check whether a phone number is registered on the channel',
	endpoint: { method: 'GET', path: '/contacts/{phone}/check', permission: 'chats:read' },
	fields: [personsPhone],
};
