import { correctionsOf } from './inferred';
import { runOptionsOf } from './runOptions';
import type { CollectionName, Field, Operation } from './operation';

/** The collections in which n8n nodes keep optional fields, in the order of the panel. */
export const COLLECTIONS: Record<CollectionName, { displayName: string; placeholder: string }> = {
	filters: { displayName: 'Filters', placeholder: 'Add Filter' },
	additionalFields: { displayName: 'Additional Fields', placeholder: 'Add Field' },
	updateFields: { displayName: 'Update Fields', placeholder: 'Add Field' },
	options: { displayName: 'Options', placeholder: 'Add Option' },
};

/** The operation's optional fields by collection: its own and those that every such operation has. */
export function collectionsOf(operation: Operation): Array<[CollectionName, readonly Field[]]> {
	const { filters = [], additionalFields = [], updateFields = [], options = [], endpoint } = operation;
	const all: Record<CollectionName, readonly Field[]> = {
		filters,
		additionalFields,
		updateFields,
		options: byName([...options, ...correctionsOf(endpoint), ...runOptionsOf(endpoint)]),
	};
	return (Object.keys(COLLECTIONS) as CollectionName[])
		.filter((name) => all[name].length > 0)
		.map((name) => [name, all[name]]);
}

/** n8n lists optional fields in alphabetical order. */
function byName(fields: readonly Field[]): Field[] {
	return [...fields].sort((one, other) => one.displayName.localeCompare(other.displayName));
}
