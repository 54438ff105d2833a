import type { Clock } from '../../api/clock';
import type { KeyStore } from '../../n8n/keyStore';
import type { Claim } from './inFlightEvents';

/** Records keys in the database row of the trigger, and returns the keys that were already there. */
export type RecordKeys = KeyStore['record'];

/** Four keys for each of the latest 2,000 events; about 220 kB. */
export const MAX_EVENT_KEYS = 8_000;

/** Without lookups, the row is written at most once in this time. */
const BATCH_MS = 250;

/** The pause after a call, as a multiple of its duration. The row is large, so calls may take a tenth of the time. */
const PAUSE_FACTOR = 9;

/** The maximum pause after a call, and so the maximum that an event waits for it. */
const MAX_PAUSE_MS = 250;

/** The processed events of one trigger, in n8n's database. */
export interface ProcessedEvents {
	/**
	 * Whether another process has processed the event. Call it only once per event: a second call can return true.
	 *
	 * @param doneAfterMs how long an event that is `seen` may take to be `done`
	 */
	wasProcessed(claim: Claim, recordKeys: RecordKeys, doneAfterMs?: number): Promise<boolean>;
	/** Records the event as done, soon after `afterMs` milliseconds. */
	remember(claim: Claim, recordKeys: RecordKeys, afterMs: number): void;
}

interface Lookup {
	keys: readonly string[];
	state: 'seen' | 'done';
	resolve: (wasInState: boolean) => void;
}

/**
 * Creates the access to a trigger's row. Calls run one at a time, because parallel calls in one process would lose keys.
 * Each call covers all events that arrived since the last one.
 *
 * The first lookup of an event records it as `seen`; `remember` records it as `done`. A lookup also records what it asks
 * for, so it asks for `done` only if the event was `seen` before. If n8n is killed in between, the event is `seen` but not
 * `done`, and its redelivery runs.
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
	let lastFlush: Promise<void> = Promise.resolve();

	const tryRecord = async (recordKeys: RecordKeys, keys: string[]) => {
		const before = await recordKeys(keys).catch((error: unknown) => {
			onFailure(error);
			return [];
		});
		return new Set(before);
	};

	const flush = async (recordKeys: RecordKeys) => {
		const [lookups, doneKeys] = [pendingLookups, pendingDoneKeys];
		[pendingLookups, pendingDoneKeys] = [[], []];
		const seenKeys = [...doneKeys, ...lookups.flatMap(({ keys }) => keys)];
		const recordedBefore = await tryRecord(recordKeys, [
			...keysInState('done', doneKeys),
			...keysInState('seen', seenKeys),
		]);
		const hasState = (state: string, { keys }: Lookup, keysBefore: Set<string>) =>
			keysInState(state, keys).some((key) => keysBefore.has(key));
		const seenBefore = lookups.filter((lookup) => hasState('seen', lookup, recordedBefore));
		const maybeDone = seenBefore.filter(({ state }) => state === 'done');
		const doneBefore =
			maybeDone.length > 0
				? await tryRecord(
						recordKeys,
						keysInState(
							'done',
							maybeDone.flatMap(({ keys }) => keys),
						),
					)
				: new Set<string>();
		for (const lookup of lookups) {
			const { state, resolve } = lookup;
			resolve(hasState(state, lookup, state === 'done' ? doneBefore : recordedBefore));
		}
	};

	const scheduleFlush = (recordKeys: RecordKeys) => {
		if (isScheduled) return;
		isScheduled = true;
		lastFlush = lastFlush.then(async () => {
			isScheduled = false;
			const startedAt = now();
			await flush(recordKeys);
			await sleep(Math.min(PAUSE_FACTOR * (now() - startedAt), MAX_PAUSE_MS));
		});
	};

	const wasInState = async (
		state: Lookup['state'],
		{ keys }: Claim,
		recordKeys: RecordKeys,
	): Promise<boolean> =>
		await new Promise((resolve) => {
			pendingLookups.push({ keys, state, resolve });
			scheduleFlush(recordKeys);
		});

	return {
		wasProcessed: async (claim, recordKeys, doneAfterMs = 0) => {
			if (doneAfterMs > 0) {
				if (!(await wasInState('seen', claim, recordKeys))) return false;
				await sleep(doneAfterMs);
			}
			return await wasInState('done', claim, recordKeys);
		},

		remember: (claim, recordKeys, afterMs) =>
			void sleep(afterMs).then(async () => {
				pendingDoneKeys.push(...claim.keys);
				if (isBatching) return;
				isBatching = true;
				await sleep(BATCH_MS);
				isBatching = false;
				if (pendingDoneKeys.length > 0) scheduleFlush(recordKeys);
			}),
	};
}

function keysInState(state: string, keys: readonly string[]): string[] {
	return keys.map((key) => `${state} ${key}`);
}
