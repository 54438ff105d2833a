import type { Field } from '../operation/operation';

/** A mode of a resource locator in which the value is typed. */
interface TypedMode {
	/** At most as long as `From list`, because n8n cuts off the rest. */
	displayName: string;
	name: string;
	placeholder: string;
}

export const byChatId: TypedMode = {
	displayName: 'Chat ID',
	name: 'id',
	placeholder: 'e.g. 905551234567@c.us',
};

export const byPhoneNumber: TypedMode = {
	displayName: 'Phone',
	name: 'phone',
	placeholder: 'e.g. +90 555 123 45 67',
};

/**
 * Creates a required resource locator: its value is selected from a searchable list or typed.
 *
 * @param texts the label, name and description of the field
 * @param searchListMethod name of the list search in the node's `methods`
 * @param typedModes the modes in which the value is typed
 */
export function locator(
	texts: Pick<Field, 'displayName' | 'name' | 'description'>,
	searchListMethod: string,
	typedModes: TypedMode[],
): Field {
	return {
		...texts,
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
			...typedModes.map((mode) => ({ ...mode, type: 'string' as const })),
		],
	};
}
