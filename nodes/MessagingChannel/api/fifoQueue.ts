import type { Clock } from './clock';

/** A queue in which each waits for itself: it sees whether it is the first, and leaves whenever it likes. */
export interface FifoQueue {
	/**
	 * Takes the last place.
	 *
	 * @param clock of the one who waits
	 * @param longestWaitMs how long it wants to wait
	 */
	join(clock: Clock, longestWaitMs: number): Waiter;
	/** All who wait, in their order. */
	waiters(): Iterable<Waiter>;
}

export interface Waiter {
	/** Unix time in milliseconds at which it began to wait. */
	readonly since: number;
	/** Until when it wants to wait. */
	readonly deadline: number;
	isFirst(): boolean;
	/**
	 * Waits until it is woken, but not longer than this. Rejects as soon as its execution is cancelled.
	 *
	 * @returns whether it was woken
	 */
	wait(longestMs: number): Promise<boolean>;
	/** Makes it look again at what it waits for. */
	wake(): void;
	/** Gives its place up. Who is the first then is woken. */
	leave(): void;
}

/** A queue in which nobody waits. */
export function createFifoQueue(): FifoQueue {
	const waiters = new Set<Waiter>();
	const first = (): Waiter | undefined => waiters.values().next().value;

	return {
		waiters: () => waiters,

		join(clock, longestWaitMs) {
			const since = clock.now();
			let wake = () => {};
			const waiter: Waiter = {
				since,
				deadline: since + longestWaitMs,
				isFirst: () => first() === waiter,
				async wait(longestMs) {
					const over = new AbortController();
					const isWoken = new Promise<boolean>((resolve) => (wake = () => resolve(true)));
					const isTimeUp = clock.sleep(longestMs, over.signal).then(() => false);
					try {
						return await Promise.race([isWoken, isTimeUp]);
					} finally {
						over.abort();
					}
				},
				wake: () => wake(),
				leave() {
					const wasFirst = waiter.isFirst();
					waiters.delete(waiter);
					if (wasFirst) first()?.wake();
				},
			};
			waiters.add(waiter);
			return waiter;
		},
	};
}
