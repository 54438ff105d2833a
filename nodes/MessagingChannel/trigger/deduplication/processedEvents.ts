import type { Clock } from '../../api/clock';
import type { KeyStore } from '../../n8n/keyStore';
import { createPacedQueue } from '../../n8n/serialQueue';
import type { Claim } from './inFlightEvents';
import { inState } from './runRow';

/** At most four keys for each of the latest 2,000 events; about 220 kB. */
export const MAX_EVENT_KEYS = 8_000;

/** Without lookups, the row is written at most once in this time. */
const BATCH_MS = 250;

/** The processed events of one trigger, in n8n's database. */
export interface ProcessedEvents {
	/**
	 * Whether another process has processed the event. Otherwise, records that this process runs it.
	 *
	 * @param doneAfterMs how long another process may take to record an event as done that it runs
	 */
	wasProcessed(claim: Claim, store: KeyStore, doneAfterMs?: number): Promise<boolean>;
	/** Records the event as done, soon after `afterMs` milliseconds. */
	recordDone(claim: Claim, store: KeyStore, afterMs: number): void;
}

/** What the row says of an event. */
type EventState = 'new' | 'running' | 'done';

interface Lookup {
	keys: readonly string[];
	resolve: (state: EventState) => void;
}

/**
 * Creates the access to a trigger's row. Calls run one at a time, because parallel calls in one process would lose keys.
 * Each call covers all events that arrived since the last one.
 *
 * The row cannot be read without recording what is asked for, so a lookup must not look like a run: it records the event
 * as `known` and as `running`, and `recordDone` removes `running`. An event that is `known` and not `running` is done. If
 * n8n is killed in between, however often, the event is still `running`, and its redelivery runs. `known` is always
 * recorded before `running`, so that n8n drops it first from a full row.
 *
 * @param onFailure called if the database cannot be used; a looked-up event then counts as new
 */
export function createProcessedEvents(
	{ now, sleep }: Pick<Clock, 'now' | 'sleep'>,
	onFailure: (error: unknown) => void,
): ProcessedEvents {
	let pendingLookups: Lookup[] = [];
	let pendingDoneKeys: string[] = [];
	let isBatching = false;
	let isScheduled = false;
	const inSeries = createPacedQueue({ now, sleep });

	const flush = async (store: KeyStore) => {
		const [lookups, doneKeys] = [pendingLookups, pendingDoneKeys];
		[pendingLookups, pendingDoneKeys] = [[], []];
		const lookupKeys = lookups.flatMap(({ keys }) => keys);
		const asked = [...inState('known', [...doneKeys, ...lookupKeys]), ...inState('running', lookupKeys)];
		const recorded = await store.record(asked).catch((error: unknown) => {
			onFailure(error);
			return [];
		});
		const recordedBefore = new Set(recorded);
		// Only what was known before can be recorded as running.
		const knownDoneKeys = doneKeys.filter((key) => recordedBefore.has(`known ${key}`));
		// A copy under the ID of another event does not end the event whose body it has.
		const askedDoneKeys = lookupKeys.filter((key) => isDoneIn(recordedBefore, key));
		const ended = inState('running', [...knownDoneKeys, ...askedDoneKeys]);
		if (ended.length > 0) await store.remove(ended).catch(onFailure);
		for (const { keys, resolve } of lookups) resolve(stateIn(recordedBefore, keys));
	};

	const scheduleFlush = (store: KeyStore) => {
		if (isScheduled) return;
		isScheduled = true;
		void inSeries(async () => {
			isScheduled = false;
			await flush(store);
		});
	};

	const lookUp = async ({ keys }: Claim, store: KeyStore): Promise<EventState> =>
		await new Promise((resolve) => {
			pendingLookups.push({ keys, resolve });
			scheduleFlush(store);
		});

	return {
		wasProcessed: async (claim, store, doneAfterMs = 0) => {
			const state = await lookUp(claim, store);
			if (state !== 'running' || doneAfterMs === 0) return state === 'done';
			await sleep(doneAfterMs);
			return (await lookUp(claim, store)) === 'done';
		},

		recordDone: (claim, store, afterMs) =>
			void sleep(afterMs).then(async () => {
				pendingDoneKeys.push(...claim.keys);
				if (isBatching) return;
				isBatching = true;
				await sleep(BATCH_MS);
				isBatching = false;
				if (pendingDoneKeys.length > 0) scheduleFlush(store);
			}),
	};
}

/** The state of an event by its keys, of which a duplicate may have only one: it is done as soon as one of them is. */
function stateIn(recorded: ReadonlySet<string>, keys: readonly string[]): EventState {
	if (keys.some((key) => isDoneIn(recorded, key))) return 'done';
	return keys.some((key) => recorded.has(`running ${key}`)) ? 'running' : 'new';
}

function isDoneIn(recorded: ReadonlySet<string>, key: string): boolean {
	return recorded.has(`known ${key}`) && !recorded.has(`running ${key}`);
}
