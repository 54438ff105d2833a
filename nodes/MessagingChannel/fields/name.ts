import type { Field } from '../operation/operation';

/**
 * The name of a record.
 *
 * @param record what is named, e.g. `tag`
 * @param example a name that one might have
 */
export function name(record: string, example: string): Field {
	return {
		displayName: 'Name',
		name: 'name',
		type: 'string',
		default: '',
		placeholder: `e.g. ${example}`,
		description: `Name of the ${record}`,
	};
}
