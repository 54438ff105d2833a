import type { Clock } from '../../../nodes/MessagingChannel/api/clock';

/** A clock that stands until the test moves it. */
export interface ManualClock extends Clock {
	/** Lets time pass, and everything happen that waits for it. */
	advance(ms: number): Promise<void>;
	/** Sets the time of day, for which nothing waits. */
	set(now: number): void;
	/** How long the waits that have not ended take, in milliseconds. */
	readonly waits: number[];
}

/** Lets everything happen that waits for no time. */
const settled = async () => {
	for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
};

/** @param begun the time at which it begins, in Unix milliseconds */
export function manualClock(begun: number): ManualClock {
	let elapsed = begun;
	/** By how much it was set forward. */
	let shift = 0;
	const waits = new Set<{ ms: number; until: number; end: () => void }>();
	const sleep = async (ms: number, signal?: AbortSignal) => {
		signal?.throwIfAborted();
		const ended = new AbortController();
		await new Promise<void>((resolve, reject) => {
			const wait = { ms, until: elapsed + ms, end: resolve };
			const abort = () => {
				waits.delete(wait);
				reject(signal?.reason as Error);
			};
			waits.add(wait);
			signal?.addEventListener('abort', abort, { signal: ended.signal });
		}).finally(() => ended.abort());
	};
	return {
		now: () => elapsed + shift,
		elapsed: () => elapsed,
		sleep,
		random: () => 0,
		yield: async () => await new Promise(setImmediate),
		set: (time) => void (shift = time - elapsed),
		async advance(ms) {
			const end = elapsed + ms;
			await settled();
			for (;;) {
				const due = [...waits].filter(({ until }) => until <= end);
				const [next] = due.sort((one, other) => one.until - other.until);
				if (!next) break;
				elapsed = Math.max(elapsed, next.until);
				waits.delete(next);
				next.end();
				await settled();
			}
			elapsed = end;
		},
		get waits() {
			return [...waits].map((wait) => wait.ms);
		},
	};
}
