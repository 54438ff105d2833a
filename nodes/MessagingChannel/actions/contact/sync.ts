import { completedNumber } from '../../fields/recipient';
import type { Operation } from '../../operation/operation';

export const sync: Operation = {
	value: 'sync',
	name: 'Sync Numbers',
	action: 'Sync contacts by phone number',
	description: 'Check phone numbers in bulk, and create or update a contact for each of them',
	endpoint: { method: 'POST', path: '/contacts/sync', permission: 'chats:read', idempotent: true },
	fields: [
		{
			displayName: 'Phone Numbers',
			name: 'phones',
			type: 'string',
			list: true,
			typeOptions: { rows: 3 },
			default: '',
			required: true,
			mustBeWhole: 'filled',
			placeholder: 'e.g. +90 555 123 45 67, +90 555 765 43 21',
			description: 'Phone numbers with country codes, separated by commas or line breaks',
			toApi: (phones: string[], settings) => ({
				phones: [...new Set(phones.map((phone) => completedNumber(phone, settings)))],
			}),
		},
	],
	additionalFields: [
		{
			displayName: 'Update Existing',
			name: 'updateExisting',
			type: 'boolean',
			default: true,
			description: 'Whether to update existing contacts',
		},
	],
};
