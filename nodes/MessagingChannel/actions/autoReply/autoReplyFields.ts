import { name as nameOf } from '../../fields/name';
import { recordId } from '../../fields/recordId';
import type { Field } from '../../operation/operation';

export const autoReplyId = recordId('autoReplyId', 'Auto-Reply ID', 'Auto-Reply > Get Many');

export const isActive: Field = {
	displayName: 'Active',
	name: 'isActive',
	type: 'boolean',
	default: true,
	description: 'Whether the rule answers messages',
};

export const name = nameOf('rule', 'Opening hours');

export const reply: Field = {
	displayName: 'Reply',
	name: 'reply',
	type: 'string',
	typeOptions: { rows: 3 },
	default: '',
	placeholder: 'e.g. We are open from 9 to 18',
	description: 'Text to answer with',
};

export const triggerType: Field = {
	displayName: 'Trigger Type',
	name: 'triggerType',
	type: 'options',
	allowArbitraryValues: true,
	default: 'keyword',
	description: 'What the rule answers to. The service may know others: enter them as an expression.',
	options: [
		{ name: 'Keyword', value: 'keyword', description: 'A message that contains a word' },
		{ name: 'Office Hours', value: 'office_hours', description: 'A message at a certain time' },
		{ name: 'Regex', value: 'regex', description: 'A message that matches a regular expression' },
	],
};

export const triggerValue: Field = {
	displayName: 'Trigger Value',
	name: 'triggerValue',
	type: 'string',
	default: '',
	placeholder: 'e.g. opening hours',
	description: 'The word, the regular expression or the office hours that the rule answers to',
};
