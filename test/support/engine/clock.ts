import type { Clock } from '../../../nodes/MessagingChannel/api/clock';

/**
 * A clock whose waits cost no time: when nothing else is under way, it jumps to the end of the next one. Meanwhile it
 * stands, so that nothing depends on how fast the machine is.
 */
export interface VirtualClock extends Clock {
	/**
	 * @param cancelled ends the wait, as when the user stops the execution
	 */
	sleep(ms: number, cancelled?: AbortSignal): Promise<void>;
	/** How far it has jumped, in milliseconds. */
	readonly skippedMs: number;
	/** Does something during which the clock does not jump, such as a request. */
	during<T>(work: () => Promise<T>): Promise<T>;
}

/** The same for all, as those of one process. */
const PROCESS_STARTED_AT = Date.UTC(2020, 0);

interface Sleeper {
	until: number;
	wake: () => void;
	fail: (reason: unknown) => void;
}

/**
 * @param onJump told the new time, in Unix milliseconds, before anybody wakes, so that others can be moved along
 * @param begun the time at which it begins, in Unix milliseconds
 */
export function virtualClock(
	onJump: (now: number) => Promise<void> = async () => {},
	begun = Date.now(),
): VirtualClock {
	let skippedMs = 0;
	const sleepers = new Set<Sleeper>();
	let busy = 0;
	let isLooking = false;
	let moved: Promise<void> = Promise.resolve();

	const now = () => begun + skippedMs;

	const jump = async (): Promise<void> => {
		const next = Math.min(...[...sleepers].map(({ until }) => until));
		if (next > now()) {
			skippedMs += next - now();
			moved = onJump(now());
			await moved;
		}
		for (const sleeper of sleepers) {
			if (sleeper.until <= now()) sleeper.wake();
		}
	};

	/** Waits until all that can go on without the clock has done so. */
	const look = async (): Promise<void> => {
		if (isLooking) return;
		isLooking = true;
		while (sleepers.size > 0 && busy === 0) {
			for (let round = 0; round < 3 && busy === 0; round++)
				await new Promise((resolve) => setImmediate(resolve));
			if (busy === 0 && sleepers.size > 0) await jump();
		}
		isLooking = false;
	};

	return {
		get skippedMs() {
			return skippedMs;
		},
		now,
		elapsed: () => now() - PROCESS_STARTED_AT,
		random: () => 0,
		yield: async () => await new Promise((resolve) => setImmediate(resolve)),
		sleep: async (ms, cancelled) => {
			cancelled?.throwIfAborted();
			const listening = new AbortController();
			await new Promise<void>((resolve, reject) => {
				const sleeper: Sleeper = {
					until: now() + ms,
					wake: () => {
						sleepers.delete(sleeper);
						resolve();
					},
					fail: (reason) => {
						sleepers.delete(sleeper);
						reject(reason instanceof Error ? reason : new Error(String(reason)));
					},
				};
				sleepers.add(sleeper);
				cancelled?.addEventListener('abort', () => sleeper.fail(cancelled.reason), {
					signal: listening.signal,
				});
				void look();
			}).finally(() => listening.abort());
		},
		during: async (work) => {
			busy++;
			try {
				// What goes out now must not arrive before the others have been moved along.
				await moved;
				return await work();
			} finally {
				busy--;
				void look();
			}
		},
	};
}
