import type { Clock } from '../../../nodes/MessagingChannel/api/clock';
import { createWaits } from './waits';

/** Lets everything happen that waits for no time. */
const settled = async () => {
	for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
};

export type ManualClock = ReturnType<typeof manualClock>;

/**
 * A clock that stands until the test moves it.
 *
 * @param begun the time at which it begins, in Unix milliseconds
 */
export function manualClock(begun: number) {
	let elapsed = begun;
	/** By how much it was set forward. */
	let shift = 0;
	const { all, wait } = createWaits(() => elapsed);
	const clock: Clock = {
		now: () => elapsed + shift,
		elapsed: () => elapsed,
		sleep: wait,
		random: () => 0,
		yield: async () => await new Promise(setImmediate),
	};
	return {
		...clock,
		/** Sets the time of day, for which nothing waits. */
		set: (time: number) => void (shift = time - elapsed),
		/** Lets time pass, and everything happen that waits for it. */
		advance: async (ms: number) => {
			const end = elapsed + ms;
			await settled();
			for (;;) {
				const due = [...all].filter(({ until }) => until <= end);
				const [next] = due.sort((one, other) => one.until - other.until);
				if (!next) break;
				elapsed = Math.max(elapsed, next.until);
				next.end();
				await settled();
			}
			elapsed = end;
		},
		/** How long the waits that have not ended take, in milliseconds. */
		get waits() {
			return [...all].map(({ ms }) => ms);
		},
	};
}
