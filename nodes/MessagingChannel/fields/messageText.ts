import type { Field } from '../operation/operation';

/** The text of a message. */
export const messageText: Field = {
	displayName: 'Message',
	name: 'message',
	type: 'string',
	typeOptions: { rows: 3 },
	default: '',
	required: true,
	placeholder: 'e.g. Your order is on its way',
	description: 'Text of the message',
};
