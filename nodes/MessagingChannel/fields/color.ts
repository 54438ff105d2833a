import type { Field } from '../operation/operation';

/** A colour in hex, as the panel's colour picker gives it. */
export const color: Field = {
	displayName: 'Color',
	name: 'color',
	type: 'color',
	default: '',
	placeholder: 'e.g. #0F766E',
	description: 'Color to use in the account panel',
};
