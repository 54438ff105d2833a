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

/** A call to a large row may take a tenth of the time, so the pause after it is a multiple of its duration. */
const PAUSE_FACTOR = 9;

/** The maximum pause after a call, and so the maximum that the next one waits for it. */
const MAX_PAUSE_MS = 250;

/** Creates a queue for the calls to a large row, with a pause after each. */
export function createPacedQueue({ elapsed, sleep }: Pick<Clock, 'elapsed' | 'sleep'>): SerialQueue {
	let last: Promise<unknown> = Promise.resolve();
	return async (work) => {
		const result = last.then(async () => {
			const startedAt = elapsed();
			return { value: await work(), ms: elapsed() - startedAt };
		});
		last = result.then(
			async ({ ms }) => await sleep(Math.min(PAUSE_FACTOR * ms, MAX_PAUSE_MS)),
			() => undefined,
		);
		return (await result).value;
	};
}
