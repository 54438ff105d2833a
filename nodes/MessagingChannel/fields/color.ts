import type { Field } from '../operation/operation';

/** A hex color, from n8n's color picker. */
export const color: Field = {
	displayName: 'Color',
	name: 'color',
	type: 'color',
	default: '',
	placeholder: 'e.g. #0F766E',
	description: 'Color to use in the account panel',
};
