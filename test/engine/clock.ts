import type { Clock } from '../../nodes/MessagingChannel/api/clock';

/** A clock whose waits cost no time: when nothing else is under way, it jumps to the end of the next one. */
export interface VirtualClock extends Clock {
	/**
	 * @param cancelled ends the wait, as when the user stops the execution
	 */
	sleep(ms: number, cancelled?: AbortSignal): Promise<void>;
	/** How far it has jumped, in milliseconds: while nobody waits, it runs with the machine's clock. */
	readonly skippedMs: number;
	/** Does something during which the clock does not jump, such as a request. */
	during<T>(work: () => Promise<T>): Promise<T>;
}

interface Sleeper {
	until: number;
	wake: () => void;
	fail: (reason: unknown) => void;
}

/**
 * @param onJump told before anybody wakes how far the clock has jumped by now, so that others can be moved along
 */
export function virtualClock(onJump: (skippedMs: number) => Promise<void> = async () => {}): VirtualClock {
	let skippedMs = 0;
	const sleepers = new Set<Sleeper>();
	let busy = 0;
	let isLooking = false;
	let moved: Promise<void> = Promise.resolve();

	const now = () => Date.now() + skippedMs;

	const jump = async (): Promise<void> => {
		const next = Math.min(...[...sleepers].map(({ until }) => until));
		if (next > now()) {
			skippedMs += next - now();
			moved = onJump(skippedMs);
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
			for (let turn = 0; turn < 3 && busy === 0; turn++)
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
		random: () => 0,
		sleep: async (ms, cancelled) => {
			cancelled?.throwIfAborted();
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
				cancelled?.addEventListener('abort', () => sleeper.fail(cancelled.reason), { once: true });
				void look();
			});
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
