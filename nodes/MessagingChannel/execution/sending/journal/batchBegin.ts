import partition from 'lodash/partition';

import type { Begun, Fact } from '../../../n8n/journal/contract';
import type { FindNotQueued } from '../sendJournal';
import type { Heartbeat } from './heartbeat';
import type { KnownState, NodeSends } from './nodeSends';

/** Begins facts in n8n's row, a batch at a time. */
export interface BatchBegin {
	/** Begins facts. What the row has no room for is refused, and missing in the result. */
	begin(batch: readonly Fact[]): Promise<ReadonlyMap<string, Begun>>;
	/**
	 * Finds out what the chat can tell of request IDs that are open and certainly had the same text.
	 *
	 * @param found what `begin` found
	 * @returns their states, and those of IDs that are done meanwhile
	 */
	examine(ids: readonly Fact[], found: ReadonlyMap<string, Begun>): Promise<Map<string, KnownState>>;
	/** Whether the row had no room for a fact. */
	isRefused(id: string): boolean;
}

/**
 * Creates what begins the facts of an execution.
 *
 * @param isWorker whether other processes can join at any time
 */
export function createBatchBegin(
	{ journal, room, times }: Pick<NodeSends, 'journal' | 'room' | 'times'>,
	heartbeat: Pick<Heartbeat, 'isAlone'>,
	findNotQueued: FindNotQueued,
	isWorker: boolean,
): BatchBegin {
	const refused = new Set<string>();
	let opened: { day: number; done: Promise<void> } | undefined;
	/** Whether no other process runs executions of the node; undefined until it matters, and on workers. */
	let isOnlyProcess: boolean | undefined;

	return {
		async begin(batch) {
			const day = room.today();
			if (opened?.day !== day) opened = { day, done: room.open() };
			await opened.done.catch((error: unknown) => {
				// The next batch tries again.
				opened = undefined;
				throw error;
			});
			const [found] = await Promise.all([journal.begin(batch, isWorker), times.noteBatch()]);
			const [absent, others] = partition([...found], ([, { state }]) => state === 'absent');
			if (absent.length === 0 || (await room.admits(absent.length))) return found;
			for (const [id] of absent) refused.add(id);
			journal.cancel(...absent.map(([id]) => id));
			return new Map(others);
		},
		async examine(ids, found) {
			const states = new Map<string, KnownState>();
			// An ID that is done has no tag any more.
			const shownIn = (begun: typeof found) => ids.filter(({ id }) => begun.get(id)?.hasSameTag);
			const before = shownIn(found);
			if (before.length === 0) return states;
			// If it is alone, what others have begun in the batch is left of processes that have died.
			const isAlone = isOnlyProcess ?? (await heartbeat.isAlone());
			if (!isWorker) isOnlyProcess = isAlone;
			// Another process may have ended meanwhile.
			const now = await journal.begin(before);
			for (const [id, { state }] of now) if (state === 'done') states.set(id, { kind: 'done' });
			const shown = shownIn(now);
			const sentAfter = await times.readLatestEarlier();
			const notQueued = await findNotQueued(new Set(shown.map(({ id }) => id)));
			for (const fact of shown) {
				const isDecidedByChat = isAlone && notQueued.has(fact.id);
				const earlier = { hasSameText: true, isDecidedByChat, sentAfter };
				states.set(fact.id, { kind: 'open', fact, earlier });
			}
			return states;
		},
		isRefused: (id) => refused.has(id),
	};
}
