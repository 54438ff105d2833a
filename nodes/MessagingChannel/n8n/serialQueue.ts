import type { Clock } from '../api/clock';

/** Runs work one at a time, in the order of the calls. Work that fails holds up none after it. */
export type SerialQueue = <T>(work: () => Promise<T>) => Promise<T>;

/** Creates a queue for work that must not overlap, such as calls to one row of n8n's database. */
export function createSerialQueue(): SerialQueue {
	let last: Promise<unknown> = Promise.resolve();
	return async (work) => {
		const result = last.then(work);
		last = result.catch(() => undefined);
		return await result;
	};
}

/** Creates work for a queue. Calls that are made before the work starts share one batch, with the context of the first call. */
export function createBatchedWork<Item, Context, Result>(
	inSeries: SerialQueue,
	work: (items: readonly Item[], context: Context) => Promise<Result>,
): (items: readonly Item[], context: Context) => Promise<Result> {
	let waiting: { items: Item[]; result: Promise<Result> } | undefined;
	return async (items, context) => {
		if (waiting) {
			waiting.items.push(...items);
			return await waiting.result;
		}
		const all = [...items];
		const result = inSeries(async () => {
			waiting = undefined;
			return await work(all, context);
		});
		waiting = { items: all, result };
		return await result;
	};
}

/** A call to a large row may take a tenth of the time, so the pause after it is a multiple of its duration. */
const PAUSE_FACTOR = 9;

/** The maximum pause after a call, and so the maximum that the next one waits for it. */
const MAX_PAUSE_MS = 250;

/** Creates a queue for the calls to a large row, with a pause after each. */
export function createPacedQueue({ now, sleep }: Pick<Clock, 'now' | 'sleep'>): SerialQueue {
	let last: Promise<unknown> = Promise.resolve();
	return async (work) => {
		const result = last.then(async () => {
			const startedAt = now();
			return { value: await work(), ms: now() - startedAt };
		});
		last = result.then(
			async ({ ms }) => await sleep(Math.min(PAUSE_FACTOR * ms, MAX_PAUSE_MS)),
			() => undefined,
		);
		return (await result).value;
	};
}
