import type { Field } from '../operation/operation';

/** A way to type what a list offers. */
interface TypedMode {
	/** Short: n8n cuts off what is longer than `From list`. */
	displayName: string;
	name: string;
	placeholder: string;
}

export const byId: TypedMode = {
	displayName: 'ID',
	name: 'id',
	placeholder: 'e.g. 905551234567@c.us',
};

export const byPhoneNumber: TypedMode = {
	displayName: 'Phone',
	name: 'phone',
	placeholder: 'e.g. +90 555 123 45 67',
};

/**
 * A required field whose value is chosen from a searchable list, or typed.
 *
 * @param searchListMethod name of the node's list search that fills the list
 * @param typed the ways to type it instead
 */
export function locator(
	words: Pick<Field, 'displayName' | 'name' | 'description'>,
	searchListMethod: string,
	typed: TypedMode[],
): Field {
	return {
		...words,
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		required: true,
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				typeOptions: { searchListMethod, searchable: true },
			},
			...typed.map((mode) => ({ ...mode, type: 'string' as const })),
		],
	};
}
