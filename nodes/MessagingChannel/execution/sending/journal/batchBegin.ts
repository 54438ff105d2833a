import type { Begun, Fact } from '../../../n8n/journal/contract';
import type { IdentifiedSend } from '../send';
import type { FindNotQueued } from '../sendJournal';
import { factOfId } from './facts';
import type { Heartbeat } from './heartbeat';
import type { KnownState, NodeSends } from './nodeSends';

/** Begins facts in n8n's row, a batch at a time. */
export interface BatchBegin {
	/** Begins facts. What the row has no room for is refused, and missing in the result. */
	begin(batch: readonly Fact[]): Promise<Map<string, Begun>>;
	/**
	 * Finds out what the chat can tell of facts that are open and certainly had the same text.
	 *
	 * @param found what `begin` found; changed where another process has ended meanwhile
	 * @returns their states, and those of facts that are done meanwhile
	 */
	examine(batch: readonly Fact[], found: Map<string, Begun>): Promise<Map<string, KnownState>>;
	/** Whether the row had no room for a fact. */
	isRefused(id: string): boolean;
}

/**
 * Creates what begins the facts of an execution.
 *
 * @param identified all sends of the execution with an ID of the user
 * @param isWorker whether other processes can join at any time
 */
export function createBatchBegin(
	{ journal, room, times }: Pick<NodeSends, 'journal' | 'room' | 'times'>,
	heartbeat: Pick<Heartbeat, 'isAlone'>,
	identified: readonly IdentifiedSend[],
	findNotQueued: FindNotQueued,
	isWorker: boolean,
): BatchBegin {
	const refused = new Set<string>();
	let opened: Promise<void> | undefined;
	/** Whether no other process runs executions of the node; undefined until it matters, and on workers. */
	let isOnlyProcess: boolean | undefined;

	return {
		async begin(batch) {
			await (opened ??= room.open());
			const [found] = await Promise.all([journal.begin(batch, isWorker), times.noteBatch()]);
			const absent = [...found].filter(([, { state }]) => state === 'absent').map(([id]) => id);
			const isRoom = absent.length === 0 || (await room.admits(absent.length));
			if (!isRoom) journal.cancel(...absent);
			for (const id of isRoom ? [] : absent) refused.add(id);
			return new Map([...found].filter(([id]) => !refused.has(id)));
		},
		async examine(batch, found) {
			const states = new Map<string, KnownState>();
			const isShown = ({ id }: Fact) => found.get(id)?.state === 'open' && found.get(id)?.hasSameTag;
			if (!batch.some(isShown)) return states;
			// If it is alone, what others have begun in the batch is left of processes that have died.
			const isAlone = isOnlyProcess ?? (await heartbeat.isAlone());
			if (!isWorker) isOnlyProcess = isAlone;
			// Another process may have ended meanwhile.
			for (const [id, begun] of await journal.begin(batch.filter(isShown))) {
				found.set(id, begun);
				if (begun.state === 'done') states.set(id, { kind: 'done' });
			}
			const shown = batch.filter(isShown);
			if (shown.length === 0) return states;
			const sentAfter = await times.readLatestEarlier();
			const shownSends = identified.filter((send) => {
				const { id, tag } = factOfId(send);
				return shown.some((fact) => fact.id === id && fact.tag === tag);
			});
			const notQueued = await findNotQueued(shownSends);
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
