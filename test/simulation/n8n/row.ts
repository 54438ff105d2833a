import type { SimulatedProcess, World } from './process';

/** The keys that n8n keeps for a node; undefined before the first. */
export interface RowOwner {
	row?: string[];
	/** How often a write dropped what another process had written meanwhile. */
	lostUpdates?: number;
	/** The process that wrote last, and how often it had dropped what it had written itself. */
	writer?: string;
	lostByItself?: number;
	/** How often the database could not be used; undefined if it always can. */
	failures?: number;
	/** Whether it cannot be used at all just now, as long as another program holds its lock. */
	isLocked?: boolean;
	/** Whether each access takes the longest time. */
	isSlow?: boolean;
}

/** One access in so many fails, where the database can fail. */
const ACCESSES_PER_FAILURE = 60;

const SLOW_MS = 400;
const DATABASE_DELAYS_MS = [2, 30, SLOW_MS] as const;

/**
 * What n8n offers a node to remember keys by. The row is read, and some time later written as a whole: two processes at
 * once lose keys, as in n8n. Of two that create it, the second fails.
 *
 * @param workflow the row that all nodes of the workflow share
 */
export function rowHelpers(
	process: SimulatedProcess,
	world: Pick<World, 'choices'>,
	owner: RowOwner,
	workflow: RowOwner = owner,
) {
	const ofNode = accessTo(process, world, owner);
	const ofWorkflow = accessTo(process, world, workflow);
	const accessIn = (scope: string) => (scope === 'workflow' ? ofWorkflow : ofNode);
	return {
		checkProcessedAndRecord: async (
			asked: string[],
			scope: string,
			{ maxEntries }: { maxEntries: number },
		) => {
			const { read, write } = accessIn(scope);
			const keys = await read();
			const stored = new Set(keys);
			const processed = asked.filter((key) => stored.has(key));
			const added = asked.filter((key) => !stored.has(key));
			await write(keys, [...(keys ?? []), ...added].slice(-maxEntries));
			return { new: added, processed };
		},
		removeProcessed: async (removed: string[], scope: string) => {
			const { read, write } = accessIn(scope);
			const keys = await read();
			const unwanted = new Set(removed);
			if (keys)
				await write(
					keys,
					keys.filter((key) => !unwanted.has(key)),
				);
		},
		getProcessedDataCount: async (scope: string) => (await accessIn(scope).read())?.length ?? 0,
	};
}

/** Reads and writes a row. */
function accessTo({ name, reach }: SimulatedProcess, { choices }: Pick<World, 'choices'>, owner: RowOwner) {
	const delayMs = () => Math.max(choices.oneOf(DATABASE_DELAYS_MS), owner.isSlow ? SLOW_MS : 0);
	const effect = async <T>(what: string, happen: () => T): Promise<T> =>
		await reach({
			name: what,
			thereMs: delayMs(),
			backMs: delayMs(),
			happen: () => {
				if (owner.failures === undefined) return happen();
				if (!owner.isLocked && !choices.rarely(ACCESSES_PER_FAILURE)) return happen();
				owner.failures++;
				throw new Error('SQLITE_BUSY: database is locked');
			},
		});
	const read = async () => await effect('reads the row', () => owner.row);
	const write = async (before: string[] | undefined, keys: string[]): Promise<void> =>
		await effect('writes the row', () => {
			if (!before && owner.row) throw new Error('UNIQUE constraint failed: processed_data');
			if (owner.row !== before) {
				owner.lostUpdates = (owner.lostUpdates ?? 0) + 1;
				if (owner.writer === name) owner.lostByItself = (owner.lostByItself ?? 0) + 1;
			}
			owner.row = keys;
			owner.writer = name;
		});
	return { read, write };
}
