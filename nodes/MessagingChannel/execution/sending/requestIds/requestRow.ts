import { isRecent, type Clock } from '../../../api/clock';
import type { KeyStore } from '../../../n8n/keyStore';
import type { SerialQueue } from '../../../n8n/serialQueue';
import { begunKey, madeKey } from './requestKeys';

/** How long a confirmed send may wait for the next call, so that n8n can be killed at any time. */
const CONFIRMATION_DELAY_MS = 1000;

/** What the running executions of this process share about the row of one node. */
export interface SharedRow {
	/** Confirmed requests that are not stored as such yet. */
	confirmed: Set<string>;
	/** Keys to remove. */
	unneededKeys: Set<string>;
	/** When the row was written last, in Unix milliseconds. */
	recordedAt: number;
	/** The row is used by one caller at a time. */
	inSeries: SerialQueue;
}

/** The row of n8n's database that holds the keys of one node, as one execution uses it. */
export interface RequestRow {
	/** Records the keys, with what was confirmed meanwhile. Returns those that were recorded before. */
	record(keys: string[]): Promise<Set<string>>;
	removeUnneeded(): Promise<void>;
	/** Stores what was confirmed, and removes what is not needed. */
	flush(): Promise<void>;
	/** Flushes when nothing has been recorded for a while. */
	flushLater(): void;
}

/**
 * Creates the access of one execution to the row.
 *
 * @param ended aborted at the end of the execution
 * @param onFailure called if a later flush failed
 */
export function createRequestRow(
	shared: SharedRow,
	store: KeyStore,
	clock: Clock,
	ended: AbortSignal,
	onFailure: (error: unknown) => void,
): RequestRow {
	const { confirmed, unneededKeys, inSeries } = shared;
	let isFlushScheduled = false;

	const record = async (keys: string[]): Promise<Set<string>> => {
		const made = [...confirmed];
		// Both, because another process may have overwritten the first.
		const madeKeys = made.flatMap((request) => [begunKey(request), madeKey(request)]);
		const before = new Set(await store.record([...madeKeys, ...keys]));
		for (const request of made) confirmed.delete(request);
		shared.recordedAt = clock.now();
		return before;
	};

	const removeUnneeded = async (): Promise<void> => {
		const keys = [...unneededKeys];
		if (keys.length === 0) return;
		await store.remove(keys);
		for (const key of keys) unneededKeys.delete(key);
	};

	const flush = async (): Promise<void> => {
		if (confirmed.size > 0) await record([]);
		await removeUnneeded();
	};

	/** Each batch also records what was confirmed before it, so this waits until there has been none for a while. */
	const waitAndFlush = async (): Promise<void> => {
		await clock.sleep(CONFIRMATION_DELAY_MS, ended);
		while (isRecent(shared.recordedAt, CONFIRMATION_DELAY_MS, clock.now())) {
			await clock.sleep(shared.recordedAt + CONFIRMATION_DELAY_MS - clock.now(), ended);
		}
		await inSeries(flush).catch(onFailure);
	};

	return {
		record,
		removeUnneeded,
		flush,
		flushLater() {
			if (isFlushScheduled) return;
			isFlushScheduled = true;
			const end = () => {
				isFlushScheduled = false;
			};
			void waitAndFlush().then(end, end);
		},
	};
}
