import type { Clock } from './clock';

/** A first-in, first-out queue. Each waiter checks whether it is first, and leaves when it likes. */
export interface FifoQueue {
	/**
	 * Adds a waiter at the end.
	 *
	 * @param clock the clock of the waiter's execution
	 * @param maxWaitMs how long the waiter may wait, in milliseconds
	 */
	join(clock: Clock, maxWaitMs: number): Waiter;
	/** All waiters, in their order. */
	waiters(): Iterable<Waiter>;
}

/** A place in the queue. */
export interface Waiter {
	/** When it joined, by `clock.elapsed`. */
	readonly since: number;
	/** Until when it may wait, by `clock.elapsed`. */
	readonly deadline: number;
	isFirst(): boolean;
	/**
	 * Waits until it is woken or the time is up. Rejects as soon as its execution is cancelled.
	 *
	 * @returns whether it was woken
	 */
	wait(maxMs: number): Promise<boolean>;
	/** Wakes it, so that it checks again. */
	wake(): void;
	/** Leaves the queue. If it was the first, it wakes the next. */
	leave(): void;
}

/** Creates an empty queue. */
export function createFifoQueue(): FifoQueue {
	const waiters = new Set<Waiter>();
	const first = (): Waiter | undefined => waiters.values().next().value;

	return {
		waiters: () => waiters,

		join(clock, maxWaitMs) {
			const since = clock.elapsed();
			let wake = () => {};
			const waiter: Waiter = {
				since,
				deadline: since + maxWaitMs,
				isFirst: () => first() === waiter,
				async wait(maxMs) {
					const timer = new AbortController();
					const woken = new Promise<boolean>((resolve) => (wake = () => resolve(true)));
					const timeUp = clock.sleep(maxMs, timer.signal).then(() => false);
					try {
						return await Promise.race([woken, timeUp]);
					} finally {
						timer.abort();
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
