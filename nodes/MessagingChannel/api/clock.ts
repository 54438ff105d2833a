import { sleep } from 'n8n-workflow';

/** Time and chance, passed in so that tests decide about both. */
export interface Clock {
	/** Unix time in milliseconds. */
	now: () => number;
	/** Waits; rejects as soon as the execution is cancelled, or the wait itself is. */
	sleep: (ms: number, over?: AbortSignal) => Promise<void>;
	/** Lets whatever else the process has to do go on first. */
	yield: () => Promise<void>;
	/** A number from 0 up to, but not including, 1. */
	random: () => number;
}

/**
 * The real clock.
 *
 * @param cancelled ends every wait when the user stops the execution
 * @param n8nSleep n8n's own; that of 1.x knows nothing of signals
 */
export function systemClock(cancelled?: AbortSignal, n8nSleep = sleep): Clock {
	return {
		now: Date.now,
		random: Math.random,
		yield: async () => await n8nSleep(0),
		sleep: async (ms, over) =>
			await wait(n8nSleep, ms, over && cancelled ? AbortSignal.any([over, cancelled]) : (over ?? cancelled)),
	};
}

/** Waits; rejects as soon as the signal is aborted. */
async function wait(n8nSleep: typeof sleep, ms: number, signal?: AbortSignal): Promise<void> {
	if (!signal) return await n8nSleep(ms);
	signal.throwIfAborted();
	const listening = new AbortController();
	const aborted = new Promise<never>((_, reject) => {
		const stop = () => reject(signal.reason as Error);
		signal.addEventListener('abort', stop, { signal: listening.signal });
	});
	try {
		await Promise.race([n8nSleep(ms, signal), aborted]);
	} finally {
		listening.abort();
	}
}
