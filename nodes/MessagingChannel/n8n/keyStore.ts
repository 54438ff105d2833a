import type { DeduplicationHelperFunctions } from 'n8n-workflow';

/**
 * A set of keys that n8n stores for each node, the only store that a community node has at run time. n8n reads, changes and
 * writes the whole set, so that two calls at once lose keys. The set cannot be read without recording.
 */
export interface KeyStore {
	/** Records the keys and returns those that were recorded before. */
	record(keys: string[]): Promise<string[]>;
	remove(keys: string[]): Promise<void>;
}

/** A set of keys that can also be counted. */
export interface CountedKeyStore extends KeyStore {
	count(): Promise<number>;
}

/**
 * The key store of the running node.
 *
 * @param maxEntries number of keys beyond which n8n drops the oldest
 * @param scope whether only this node uses the set, or all nodes of the workflow
 */
export function keyStoreOf(
	{ helpers }: { helpers: DeduplicationHelperFunctions },
	maxEntries: number,
	scope: 'node' | 'workflow' = 'node',
): CountedKeyStore {
	return {
		record: async (keys) => {
			const options = { mode: 'entries', maxEntries } as const;
			return (await helpers.checkProcessedAndRecord(keys, scope, options)).processed.map(String);
		},
		remove: async (keys) => await helpers.removeProcessed(keys, scope, { mode: 'entries' }),
		count: async () => await helpers.getProcessedDataCount(scope, { mode: 'entries' }),
	};
}
