import type { Field } from '../operation/operation';

/**
 * Creates the field for the name of a record.
 *
 * @param record the kind of record, e.g. `tag`
 * @param example a typical name
 */
export function nameField(record: string, example: string): Field {
	return {
		displayName: 'Name',
		name: 'name',
		type: 'string',
		default: '',
		placeholder: `e.g. ${example}`,
		description: `Name of the ${record}`,
		toApi: (name: string) => ({ name: name.trim() }),
	};
}
