import { nameField } from '../../fields/name';
import { exactObject } from '../../operation/input';
import type { Field } from '../../operation/operation';

export const customFields: Field = {
	displayName: 'Custom Fields',
	name: 'customFields',
	type: 'json',
	default: '{}',
	placeholder: 'e.g. {"plan": "premium"}',
	description: 'Your own data about the contact, as an object. It replaces the stored custom fields.',
	mustBeWhole: true,
	toApi: (fields: object) => ({ customFields: exactObject(fields) }),
};

export const isBlocked: Field = {
	displayName: 'Blocked',
	name: 'isBlocked',
	type: 'boolean',
	default: true,
	description: 'Whether the contact is blocked',
};

export const name = nameField('contact', 'Nathan Smith');

export const notes: Field = {
	displayName: 'Notes',
	name: 'notes',
	type: 'string',
	typeOptions: { rows: 3 },
	default: '',
	placeholder: 'e.g. Prefers to be called in the morning',
	description: 'Notes about the contact',
};
