import type { IExecuteFunctions } from 'n8n-workflow';

/**
 * A set of keys in n8n's database, the only store that a community node has at run time: one row for each node, and one for
 * each workflow. What the journal takes for granted of it (test/e2e/journalRow.test.ts shows it in a real n8n):
 *
 * 1. One call reads, changes and writes the whole row, so a call that began earlier can undo one that ended meanwhile.
 * 2. What was recorded at once is there at once, or not at all; so is what was removed.
 * 3. Recording says which of the keys were there before. There is no reading without recording, except counting.
 * 4. Keys stay in the order in which they were recorded. One that is there already keeps its place.
 * 5. With a maximum, the oldest keys beyond it go, also if no key is recorded.
 */
export interface Row {
	/** Records the keys, each once, and drops the oldest beyond the maximum. Returns those that were recorded before. */
	record(keys: Iterable<string>, max?: number): Promise<Set<string>>;
	remove(keys: Iterable<string>): Promise<void>;
	/** How many keys there are. */
	count(): Promise<number>;
}

/** No row becomes longer: about 5.4 MB. */
const NO_MAXIMUM = 200_000;

/**
 * The row of the running node.
 *
 * @param scope whether only this node uses the row, or all nodes of the workflow
 */
export function rowOf({ helpers }: Pick<IExecuteFunctions, 'helpers'>, scope: 'node' | 'workflow'): Row {
	return {
		async record(keys, max = NO_MAXIMUM) {
			const options = { mode: 'entries', maxEntries: max } as const;
			const { processed } = await helpers.checkProcessedAndRecord([...new Set(keys)], scope, options);
			return new Set(processed.map(String));
		},
		remove: async (keys) => await helpers.removeProcessed([...new Set(keys)], scope, { mode: 'entries' }),
		count: async () => await helpers.getProcessedDataCount(scope, { mode: 'entries' }),
	};
}
