import type { IExecuteFunctions } from 'n8n-workflow';

/**
 * The only store that n8n gives a community node at run time: a row of keys for each node. n8n reads, changes and writes
 * the row as a whole, so two calls at once lose keys. It cannot be read without recording what is asked for.
 */
export interface KeyStore {
	/** Records the keys and returns those that were there before. */
	record(keys: string[]): Promise<string[]>;
	remove(keys: string[]): Promise<void>;
}

/**
 * The row of the node that runs.
 *
 * @param maxEntries beyond so many keys, n8n drops the oldest
 */
export function keyStoreOf({ helpers }: Pick<IExecuteFunctions, 'helpers'>, maxEntries: number): KeyStore {
	return {
		record: async (keys) => {
			const options = { mode: 'entries', maxEntries } as const;
			return (await helpers.checkProcessedAndRecord(keys, 'node', options)).processed.map(String);
		},
		remove: async (keys) => await helpers.removeProcessed(keys, 'node', { mode: 'entries' }),
	};
}
