import { InvalidInput, shown } from '../operation/input';
import type { Field } from '../operation/operation';

/** A hex color, from n8n's color picker. */
export const color: Field = {
	displayName: 'Color',
	name: 'color',
	type: 'color',
	default: '',
	placeholder: 'e.g. #0F766E',
	description: 'Color to use in the account panel',
	toApi: (color: string) => {
		// In an update, an empty color removes it.
		if (/^(#?([\da-f]{3}|[\da-f]{4}|[\da-f]{6}|[\da-f]{8}))?$/i.test(color.trim()))
			return { color: color.trim() };
		throw new InvalidInput(`is not a hex color: ${shown(color)}`, 'Enter a color such as #0F766E.');
	},
};
