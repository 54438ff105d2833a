import { nameField } from '../../fields/name';
import type { Field } from '../../operation/operation';

export const name = nameField('template', 'order_shipped');

export const content: Field = {
	displayName: 'Content',
	name: 'content',
	type: 'string',
	typeOptions: { rows: 4 },
	default: '',
	placeholder: 'e.g. Hello {{name}}, your order has shipped',
	description:
		"Text of the template, with placeholders such as {{name}} for the parts that change. Leave it on 'Fixed', as they are not n8n's.",
	// What n8n takes for an expression of its own would be missing in every message.
	mustBeWhole: true,
};

export const category: Field = {
	displayName: 'Category',
	name: 'category',
	type: 'string',
	default: 'general',
	placeholder: 'e.g. orders',
	description: 'Category of the template',
	toApi: (category: string) => ({ category: category.trim() }),
};

export const language: Field = {
	displayName: 'Language',
	name: 'language',
	type: 'string',
	default: 'tr',
	placeholder: 'e.g. en',
	description: 'Language of the text, as a two-letter code. Without it, the service assumes Turkish (tr).',
	toApi: (language: string) => ({ language: language.trim() }),
};

export const variables: Field = {
	displayName: 'Variable Names',
	name: 'variables',
	type: 'string',
	list: true,
	default: '',
	placeholder: 'e.g. name, order_number',
	description: "Names of the placeholders in 'Content', separated by commas",
	// The editor takes names in braces for expressions, which give nothing.
	mustBeWhole: true,
	toApi: (names: string[]) => ({ variables: names.map((name) => name.replace(/^\{\{\s*|\s*\}\}$/g, '')) }),
};

export const isActive: Field = {
	displayName: 'Active',
	name: 'isActive',
	type: 'boolean',
	default: true,
	description: 'Whether the template is active',
};
