import { clock } from '../../../nodes/MessagingChannel/trigger/account/clock';
import { eventually } from '../poll';

type Sleep = typeof clock.sleep;
type IsPause = (...wait: Parameters<Sleep>) => boolean;

/** The clock of all triggers in this process, of n8n and of the service. A test moves it, and ends the pauses of loops with it. */
export interface TriggerClock {
	/** How far it has been moved. */
	readonly skippedMs: number;
	skip(ms: number): void;
	/** How many loops pause. */
	readonly pausing: number;
	untilPausing(count: number): Promise<unknown>;
	/** Moves on in steps, and after each waits until all loops that it woke pause again. */
	advance(steps: number, stepMs: number): Promise<void>;
	/** Lets the test reach the limit of a wait. */
	reachLimit(ms: number): void;
}

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

/** Moves the clock for the tests of one file. */
export function useTriggerClock({ betweenTestsMs, isPause, sleep }: TriggerClockOptions): TriggerClock {
	let skippedMs = 0;
	const pauses = new Set<{ until: number; wake: () => void }>();
	let limits: Array<{ ms: number; reach: () => void }> = [];

	const pause: Sleep = async (ms, signal) =>
		await new Promise<void>((resolve, reject) => {
			const abort = () => (pauses.delete(one), reject(signal?.reason as Error));
			const wake = () => {
				signal?.removeEventListener('abort', abort);
				pauses.delete(one);
				resolve();
			};
			const one = { until: Date.now() + ms, wake };
			pauses.add(one);
			signal?.addEventListener('abort', abort);
		});
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
		get skippedMs() {
			return skippedMs;
		},
		skip: (ms) => void (skippedMs += ms),
		get pausing() {
			return pauses.size;
		},
		untilPausing,
		advance: async (steps, stepMs) => {
			const count = pauses.size;
			for (let done = 0; done < steps; done++) {
				skippedMs += stepMs;
				for (const { until, wake } of [...pauses]) if (until <= Date.now()) wake();
				await untilPausing(count);
			}
		},
		reachLimit: (limitMs) => limits.find(({ ms }) => ms === limitMs)?.reach(),
	};
}

/** So many seconds ago, as the service writes times. */
export const ago = (seconds: number): number => Math.floor(Date.now() / 1000) - seconds;
