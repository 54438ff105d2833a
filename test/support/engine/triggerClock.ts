import { clock } from '../../../nodes/MessagingChannel/trigger/account/clock';
import { eventually } from '../poll';
import { createWaits } from './waits';

type Sleep = typeof clock.sleep;
type IsPause = (...wait: Parameters<Sleep>) => boolean;

interface TriggerClockOptions {
	/** Each test begins so long after the one before, because the process remembers some. */
	betweenTestsMs: number;
	isPause: IsPause;
	/** What happens in all other waits. By default short ones are over at once, and limits of waits are never reached. */
	sleep?: Sleep;
}

/** Has all triggers use this time and these waits, up to `jest.restoreAllMocks()`. */
export function replaceTriggerClock(now: () => number, sleep: Sleep, elapsed = now): void {
	jest.spyOn(clock, 'now').mockImplementation(now);
	jest.spyOn(clock, 'elapsed').mockImplementation(elapsed);
	jest.spyOn(clock, 'sleep').mockImplementation(sleep);
}

/**
 * The clock of all triggers in this process, of n8n and of the service, for the tests of one file. A test moves it, and ends
 * the pauses of loops with it.
 */
export function useTriggerClock({ betweenTestsMs, isPause, sleep }: TriggerClockOptions) {
	let skippedMs = 0;
	const { all: pauses, wait: pause } = createWaits(() => Date.now());
	let limits: Array<{ ms: number; reach: () => void }> = [];

	const skipOrHold: Sleep = async (ms) =>
		await new Promise<void>((resolve) => {
			if (ms < 5_000) setImmediate(resolve);
			else limits.push({ ms, reach: resolve });
		});

	beforeAll(() => {
		const realNow = Date.now;
		jest.spyOn(Date, 'now').mockImplementation(() => realNow() + skippedMs);
		const now = () => Date.now();
		replaceTriggerClock(now, async (ms, signal) => {
			signal?.throwIfAborted();
			await (isPause(ms, signal) ? pause : (sleep ?? skipOrHold))(ms, signal);
		});
	});
	afterAll(() => jest.restoreAllMocks());
	beforeEach(() => {
		skippedMs += betweenTestsMs;
		limits = [];
	});

	const untilPausing = async (count: number) =>
		await eventually(
			() => pauses.size,
			(size) => size === count,
		);
	return {
		/** How far it has been moved. */
		get skippedMs() {
			return skippedMs;
		},
		skip: (ms: number) => void (skippedMs += ms),
		/** How many loops pause. */
		get pausing() {
			return pauses.size;
		},
		untilPausing,
		/** Moves on in steps, and after each waits until all loops that it woke pause again. */
		advance: async (steps: number, stepMs: number) => {
			const count = pauses.size;
			for (let done = 0; done < steps; done++) {
				skippedMs += stepMs;
				for (const { until, end } of [...pauses]) if (until <= Date.now()) end();
				await untilPausing(count);
			}
		},
		/** Lets the test reach the limit of a wait. */
		reachLimit: (limitMs: number) => limits.find(({ ms }) => ms === limitMs)?.reach(),
	};
}

/** So many seconds ago, as the service writes times. */
export const ago = (seconds: number): number => Math.floor(Date.now() / 1000) - seconds;
