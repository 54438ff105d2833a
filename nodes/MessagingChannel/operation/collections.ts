import memoize from 'lodash/memoize';

import { correctionsOf } from './inferred';
import { runOptionsOf } from './runOptions';
import type { CollectionName, Field, Operation } from './operation';

/** The labels of the collections, in the order of the panel. */
export const COLLECTIONS: Record<CollectionName, { displayName: string; placeholder: string }> = {
	filters: { displayName: 'Filters', placeholder: 'Add Filter' },
	additionalFields: { displayName: 'Additional Fields', placeholder: 'Add Field' },
	updateFields: { displayName: 'Update Fields', placeholder: 'Add Field' },
	options: { displayName: 'Options', placeholder: 'Add Option' },
};

/** The optional fields of an operation by collection: its own and those that it shares with other operations. */
export const collectionsOf = memoize(function collectionsOf(
	operation: Pick<Operation, 'endpoint' | CollectionName>,
): Array<[CollectionName, readonly Field[]]> {
	const { filters = [], additionalFields = [], updateFields = [], options = [], endpoint } = operation;
	const all: Record<CollectionName, readonly Field[]> = {
		filters,
		additionalFields,
		updateFields,
		options: sortedByName([...options, ...correctionsOf(endpoint), ...runOptionsOf(operation)]),
	};
	return (Object.keys(COLLECTIONS) as CollectionName[])
		.filter((name) => all[name].length > 0)
		.map((name) => [name, all[name]]);
});
// What is read again of an item with a mistake is an operation of its own.
collectionsOf.cache = new WeakMap();

/** n8n lists optional fields in alphabetical order. */
function sortedByName(fields: readonly Field[]): Field[] {
	return [...fields].sort((one, other) => one.displayName.localeCompare(other.displayName));
}
