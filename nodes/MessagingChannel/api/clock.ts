import { sleep } from 'n8n-workflow';

/** Time and randomness, passed in so that tests control them. */
export interface Clock {
	/** Unix time in milliseconds. Somebody can set it. */
	now: () => number;
	/** Milliseconds since some moment, by a clock that nobody sets: for durations within this process. */
	elapsed: () => number;
	/** Waits. Rejects as soon as the execution is cancelled or the signal is aborted. */
	sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
	/** Lets other work of the process run first. */
	yield: () => Promise<void>;
	/** A number from 0 up to, but not including, 1. */
	random: () => number;
}

/** Unix time in milliseconds, for others to read, of a moment of `clock.elapsed`. */
export function unixTimeOf(moment: number, clock: Pick<Clock, 'now' | 'elapsed'>): number {
	return clock.now() - (clock.elapsed() - moment);
}

/** Node.js fires a timer for longer at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * The real clock.
 *
 * @param cancelled aborted when the user stops the execution, which ends every wait
 * @param n8nSleep n8n's own function; in n8n 1.x it ignores signals
 */
export function systemClock(cancelled?: AbortSignal, n8nSleep = sleep): Clock {
	return {
		now: Date.now,
		elapsed: performance.now.bind(performance),
		random: Math.random,
		yield: async () => await n8nSleep(0),
		sleep: async (ms, signal) => {
			const either = signal && cancelled ? AbortSignal.any([signal, cancelled]) : (signal ?? cancelled);
			let left = ms;
			for (; left > MAX_TIMER_MS; left -= MAX_TIMER_MS) await abortableSleep(n8nSleep, MAX_TIMER_MS, either);
			await abortableSleep(n8nSleep, left, either);
		},
	};
}

async function abortableSleep(n8nSleep: typeof sleep, ms: number, signal?: AbortSignal): Promise<void> {
	if (!signal) return await n8nSleep(ms);
	signal.throwIfAborted();
	let stop = () => {};
	const aborted = new Promise<never>((_, reject) => {
		stop = () => reject(signal.reason as Error);
		signal.addEventListener('abort', stop);
	});
	try {
		await Promise.race([n8nSleep(ms, signal), aborted]);
	} finally {
		signal.removeEventListener('abort', stop);
	}
}
