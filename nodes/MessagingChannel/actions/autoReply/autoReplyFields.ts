import { nameField } from '../../fields/name';
import { recordId } from '../../fields/recordId';
import type { Field } from '../../operation/operation';

export const autoReplyId = recordId('autoReplyId', 'Auto-Reply ID', 'Auto-Reply > Get Many');

export const isActive: Field = {
	displayName: 'Active',
	name: 'isActive',
	type: 'boolean',
	default: true,
	description: 'Whether the rule replies to messages',
	mustResolve: true,
};

export const name = nameField('rule', 'Opening hours');

export const reply: Field = {
	displayName: 'Reply',
	name: 'reply',
	type: 'string',
	typeOptions: { rows: 3 },
	default: '',
	placeholder: 'e.g. We are open from 9 am to 6 pm',
	description: 'Text of the automatic reply',
};

export const triggerType: Field = {
	displayName: 'Trigger Type',
	name: 'triggerType',
	type: 'options',
	allowArbitraryValues: true,
	default: 'keyword',
	description: 'What makes the rule reply. To use a type that is not listed, enter it as an expression.',
	options: [
		{ name: 'Keyword', value: 'keyword', description: 'Reply to messages that contain a word' },
		{ name: 'Office Hours', value: 'office_hours', description: 'Reply to messages at certain times' },
		{ name: 'Regex', value: 'regex', description: 'Reply to messages that match a regular expression' },
	],
};

export const triggerValue: Field = {
	displayName: 'Trigger Value',
	name: 'triggerValue',
	type: 'string',
	default: '',
	placeholder: 'e.g. opening hours',
	description:
		"What the 'Trigger Type' looks for: the word, the regular expression, or the office hours. To see how the service writes hours, create a rule in the account panel and read it with Auto-Reply > Get.",
	// The rest of a regular expression can match every message.
	mustBeWhole: true,
};
