import type { SimulatedProcess, World } from './process';

/** The keys that n8n keeps for a node; undefined before the first. */
export interface RowOwner {
	row?: string[];
	/** How often a write dropped what another process had written meanwhile. */
	lostUpdates?: number;
}

const DATABASE_DELAYS_MS = [2, 30, 400] as const;

/**
 * What n8n offers a node to remember keys by. The row is read, and some time later written as a whole: two processes at
 * once lose keys, as in n8n. Of two that create it, the second fails.
 */
export function rowHelpers(
	{ reach }: SimulatedProcess,
	{ choices }: Pick<World, 'choices'>,
	owner: RowOwner,
) {
	const effect = async <T>(name: string, happen: () => T): Promise<T> =>
		await reach({
			name,
			thereMs: choices.oneOf(DATABASE_DELAYS_MS),
			backMs: choices.oneOf(DATABASE_DELAYS_MS),
			happen,
		});
	const read = async () => await effect('reads the row', () => owner.row);
	const write = async (before: string[] | undefined, keys: string[]): Promise<void> =>
		await effect('writes the row', () => {
			if (!before && owner.row) throw new Error('UNIQUE constraint failed: processed_data');
			if (owner.row !== before) owner.lostUpdates = (owner.lostUpdates ?? 0) + 1;
			owner.row = keys;
		});
	return {
		checkProcessedAndRecord: async (
			asked: string[],
			_scope: string,
			{ maxEntries }: { maxEntries: number },
		) => {
			const keys = await read();
			const processed = asked.filter((key) => keys?.includes(key));
			const added = asked.filter((key) => !processed.includes(key));
			await write(keys, [...(keys ?? []), ...added].slice(-maxEntries));
			return { new: added, processed };
		},
		removeProcessed: async (removed: string[]) => {
			const keys = await read();
			if (keys)
				await write(
					keys,
					keys.filter((key) => !removed.includes(key)),
				);
		},
	};
}
