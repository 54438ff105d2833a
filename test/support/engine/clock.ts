import type { Clock } from '../../../nodes/MessagingChannel/api/clock';
import { createWaits } from './waits';

/** The same for all, as those of one process. */
const PROCESS_STARTED_AT = Date.UTC(2020, 0);

export type VirtualClock = ReturnType<typeof virtualClock>;

/**
 * A clock whose waits cost no time: when nothing else is under way, it jumps to the end of the next one. Meanwhile it
 * stands, so that nothing depends on how fast the machine is.
 *
 * @param onJump told the new time, in Unix milliseconds, before anybody wakes, so that others can be moved along
 * @param begun the time at which it begins, in Unix milliseconds
 */
export function virtualClock(onJump: (now: number) => Promise<void> = async () => {}, begun = Date.now()) {
	let skippedMs = 0;
	let busy = 0;
	let isLooking = false;
	let moved: Promise<void> = Promise.resolve();

	const now = () => begun + skippedMs;
	const { all, wait } = createWaits(now);

	const jump = async (): Promise<void> => {
		const next = Math.min(...[...all].map(({ until }) => until));
		if (next > now()) {
			skippedMs += next - now();
			moved = onJump(now());
			await moved;
		}
		for (const { until, end } of all) if (until <= now()) end();
	};

	/** Waits until all that can go on without the clock has done so. */
	const look = async (): Promise<void> => {
		if (isLooking) return;
		isLooking = true;
		while (all.size > 0 && busy === 0) {
			for (let round = 0; round < 3 && busy === 0; round++)
				await new Promise((resolve) => setImmediate(resolve));
			if (busy === 0 && all.size > 0) await jump();
		}
		isLooking = false;
	};

	const clock: Clock = {
		now,
		elapsed: () => now() - PROCESS_STARTED_AT,
		random: () => 0,
		yield: async () => await new Promise((resolve) => setImmediate(resolve)),
		sleep: async (ms, cancelled) => {
			const waiting = wait(ms, cancelled);
			void look();
			await waiting;
		},
	};
	return {
		...clock,
		/** How far it has jumped, in milliseconds. */
		get skippedMs() {
			return skippedMs;
		},
		/** Does something during which the clock does not jump, such as a request. */
		during: async <T>(work: () => Promise<T>): Promise<T> => {
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
