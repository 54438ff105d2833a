import type { Clock } from './clock';
import { errorOfRateLimit } from './errors';
import { createFifoQueue, type FifoQueue, type Waiter } from './fifoQueue';
import { createRateWindow, type Obstacle, type RateWindow } from './rateWindow';
import { correctedOffset } from './serviceClock';

/** Lets requests through as the service's rate window allows, in the order in which they asked. */
export interface RateLimiter {
	/**
	 * Waits for a place in the window. Each admitted request must be settled. Rejects at once when the execution is
	 * cancelled, wherever in the queue it stands.
	 *
	 * @param longestWaitMs how long it may wait from now on for the window to reset
	 * @throws ApiError `rate_limit_exceeded` as soon as it is known that this is not long enough
	 */
	admit(longestWaitMs: number): Promise<void>;
	/**
	 * Takes an answer's headers into account.
	 *
	 * @param headers of the answer, or undefined when none came
	 * @param pauseMs given when the service answered 429: how long to pause if the headers do not tell
	 * @param sentAt when the request went out, in Unix milliseconds
	 */
	settle(headers: Record<string, unknown> | undefined, pauseMs?: number, sentAt?: number): void;
}

/** What all who call an account from this process share. */
export interface AccountWindow {
	window: RateWindow;
	queue: FifoQueue;
	/** How far the service's clock is ahead of ours, in milliseconds, to about a second; below 0 when ours is ahead. */
	clockOffsetMs: number;
	/** Whether an answer has told the service's time yet. */
	isClockKnown: boolean;
}

/** An answer that takes longer, such as that to an upload, holds nobody else up. */
const SLOW_ANSWER_MS = 1000;

/** Timers cannot be set to much more than three weeks. */
const LONGEST_SLEEP_MS = 24 * 60 * 60 * 1000;

/** An account of which nothing is known yet. */
export function newAccountWindow(): AccountWindow {
	return { window: createRateWindow(), queue: createFifoQueue(), clockOffsetMs: 0, isClockKnown: false };
}

/**
 * @param onWait told how long a wait is going to be, in milliseconds
 * @param account shared by all limiters of one account
 */
export function createRateLimiter(
	clock: Clock,
	onWait: (ms: number) => void = () => {},
	account: AccountWindow = newAccountWindow(),
): RateLimiter {
	const { window, queue } = account;
	const serviceNow = () => clock.now() + account.clockOffsetMs;

	/** Answers under way tell within a moment whether there is room, so nobody gives up before. */
	const endOfDoubt = ({ since, deadline }: Waiter) => Math.max(deadline, since + SLOW_ANSWER_MS);

	/** When the window resets, by our clock, if that is too late for this waiter. */
	const lateReset = (waiter: Waiter, { kind, resetAt }: Obstacle): number | undefined => {
		if (kind === 'unproven') return undefined;
		const reset = resetAt - account.clockOffsetMs;
		const isLate = kind === 'usedUp' ? reset > waiter.deadline : clock.now() >= endOfDoubt(waiter);
		return isLate ? reset : undefined;
	};

	return {
		async admit(longestWaitMs) {
			const waiter = queue.join(clock, longestWaitMs);
			let announced: number | undefined;
			try {
				while (true) {
					const now = serviceNow();
					const obstacle = window.obstacle(now);
					const tooLate = obstacle && lateReset(waiter, obstacle);
					if (tooLate !== undefined) {
						if (!window.isStale(now)) throw errorOfRateLimit(tooLate);
						window.probe(now);
						return window.take();
					}
					if (!waiter.isFirst()) {
						const doubtMs = endOfDoubt(waiter) - clock.now();
						await waiter.wait(doubtMs > 0 ? Math.min(doubtMs, LONGEST_SLEEP_MS) : LONGEST_SLEEP_MS);
					} else if (!obstacle) {
						return window.take();
					} else if (obstacle.kind === 'usedUp') {
						const ms = obstacle.resetAt - now;
						if (obstacle.resetAt !== announced) onWait(ms);
						announced = obstacle.resetAt;
						await waiter.wait(ms);
					} else {
						const resetMs = (obstacle.resetAt ?? Infinity) - now;
						const isTold = window.willTell() && (await waiter.wait(Math.min(SLOW_ANSWER_MS, resetMs)));
						// Those under way may be counted or not, and others may leave their share: the next answer tells.
						if (!isTold) window.probe(serviceNow());
					}
				}
			} finally {
				waiter.leave();
			}
		},

		settle(headers, pauseMs, sentAt = clock.now()) {
			account.isClockKnown ||= !Number.isNaN(Date.parse(String(headers?.date)));
			account.clockOffsetMs = correctedOffset(account.clockOffsetMs, headers?.date, sentAt, clock.now());
			const now = serviceNow();
			window.settle(headers, now, pauseMs);
			for (const waiter of queue.waiters()) {
				const obstacle = window.obstacle(now);
				const isTooLate = obstacle && lateReset(waiter, obstacle) !== undefined;
				if (waiter.isFirst() || isTooLate) waiter.wake();
			}
		},
	};
}
