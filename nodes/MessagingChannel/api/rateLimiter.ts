import { type Clock, unixTimeOf } from './clock';
import { ApiError } from './errors';
import { createRateWindow, type Obstacle, type RateWindow } from './rateWindow';
import { retryAfterMs } from './retry';

/** Admits requests in order, as the rate limit of the service allows (API spec, "Limits"). */
export interface RateLimiter {
	/**
	 * Waits until a request may be sent. Each admitted request must be settled or released. Rejects as soon as the execution is
	 * cancelled, at any place in the queue.
	 *
	 * @param maxWaitMs how long it may wait for the rate limit to reset, in milliseconds from now
	 * @param waitOption the option that sets this, for the error
	 * @throws ApiError `rate_limit_exceeded` as soon as it is known that this is not long enough. Of a window without news for 10 s, one
	 *   request is admitted to find out
	 */
	admit(maxWaitMs: number, waitOption?: string): Promise<void>;
	/**
	 * Updates the rate limit from the headers of a response.
	 *
	 * @param headers undefined without a response
	 * @param backoffMs set for a 429: how long to pause when the headers do not say, in milliseconds
	 * @param sentAt when the request was sent, by `clock.elapsed`
	 * @param isOther whether the response can be that of a gateway, which does not tell that the service has no limit
	 */
	settle(
		headers: Record<string, unknown> | undefined,
		backoffMs?: number,
		sentAt?: number,
		isOther?: boolean,
	): void;
	/** Gives back the place of a request that was not sent. */
	release(): void;
}

/** A request in the queue of its account. It checks whether it is first, and leaves when it likes. */
interface Waiter {
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

/** What all executions of this process share about an account. */
export interface AccountState {
	window: RateWindow;
	/** The requests that wait to be admitted, in their order. */
	queue: Set<Waiter>;
	/** How many tasks of all executions are running. */
	tasks: number;
	/** Until when a 429 asked to pause, beside the reset that it reported, by `clock.elapsed`. */
	pausedUntil: number;
	/** How far the service's clock is ahead of ours, in milliseconds, to about a second; negative when ours is ahead. */
	clockOffsetMs: number;
	/** The service's time at the zero of `clock.elapsed`, in Unix milliseconds, to about a second; 0 before the first response. */
	timeOrigin: number;
	/** Whether a response has shown the service's time yet. */
	isClockKnown: boolean;
}

/** A slower response, for example to an upload, does not hold up other requests. */
const SLOW_RESPONSE_MS = 1000;

/** Timers overflow after about 24 days. */
const MAX_SLEEP_MS = 24 * 60 * 60 * 1000;

/** The state of an account that has not been called yet. */
export function newAccountState(): AccountState {
	return {
		window: createRateWindow(),
		queue: new Set(),
		tasks: 0,
		pausedUntil: 0,
		clockOffsetMs: 0,
		timeOrigin: 0,
		isClockKnown: false,
	};
}

/** The accounts that executions call, by digest. */
const accounts = new Map<string, AccountState>();

/** The state of an account, which all executions of this process share. */
export function sharedAccountOf(accountDigest: string): AccountState {
	const account = accounts.get(accountDigest) ?? newAccountState();
	accounts.set(accountDigest, account);
	return account;
}

/**
 * Whether a task that can wait may send a request: no other request waits, and at least half of the window is left.
 *
 * @param now that of `clock.elapsed`
 */
export function hasSpareRoom(account: AccountState, now: number): boolean {
	return (
		account.queue.size === 0 &&
		now >= account.pausedUntil &&
		account.window.isHalfFree(now + account.timeOrigin)
	);
}

/**
 * How far apart tasks that can wait must send their requests, so that half of what is left stays for the others; in
 * milliseconds, 0 when nothing is known of the rate limit.
 *
 * @param now that of `clock.elapsed`
 */
export function backgroundSpacingMs({ window, timeOrigin }: AccountState, now: number): number {
	return window.spacingMs(now + timeOrigin);
}

/**
 * How many requests may be in flight without a risk for the rate limit; 0 when it is not known.
 *
 * @param now that of `clock.elapsed`
 */
export function safeConcurrency({ window, timeOrigin }: AccountState, now: number): number {
	return window.safeConcurrency(now + timeOrigin);
}

/**
 * Creates a rate limiter for one execution.
 *
 * @param onWait called with the expected duration of a wait, in milliseconds
 * @param account shared by all rate limiters of the account
 */
export function createRateLimiter(
	clock: Clock,
	onWait: (ms: number) => void = () => {},
	account: AccountState = newAccountState(),
): RateLimiter {
	const { window, queue } = account;
	const serviceNow = () => clock.elapsed() + account.timeOrigin;

	/** Responses to earlier requests do not end a pause. */
	const obstacleAt = (now: number): Obstacle | undefined => {
		const obstacle = window.obstacle(now);
		const resetAt = account.pausedUntil + account.timeOrigin;
		if (now >= resetAt) return obstacle;
		return obstacle?.kind === 'usedUp' && obstacle.resetAt > resetAt ? obstacle : { kind: 'usedUp', resetAt };
	};

	/** Responses in flight soon show whether there is room, so no waiter gives up before that. */
	const earliestFailure = ({ since, deadline }: Waiter) => Math.max(deadline, since + SLOW_RESPONSE_MS);

	/** When the window resets, by `clock.elapsed`, if that is too late for the waiter. */
	const tooLateReset = (waiter: Waiter, { kind, resetAt }: Obstacle): number | undefined => {
		if (kind === 'unknown') return undefined;
		const reset = resetAt - account.timeOrigin;
		const isLate = kind === 'usedUp' ? reset > waiter.deadline : clock.elapsed() >= earliestFailure(waiter);
		return isLate ? reset : undefined;
	};

	return {
		async admit(maxWaitMs, waitOption) {
			const waiter = joinQueue(queue, clock, maxWaitMs);
			let announcedReset: number | undefined;
			try {
				while (true) {
					const now = serviceNow();
					const isFirst = waiter.isFirst();
					const obstacle = obstacleAt(now);
					const lateReset = obstacle && tooLateReset(waiter, obstacle);
					if (lateReset !== undefined) {
						if (!window.isStale(now)) throw rateLimitError(unixTimeOf(lateReset, clock), waitOption);
						window.probe(now);
						return window.take();
					}
					if (!isFirst) {
						const ms = earliestFailure(waiter) - clock.elapsed();
						await waiter.wait(ms > 0 ? Math.min(ms, MAX_SLEEP_MS) : MAX_SLEEP_MS);
					} else if (!obstacle) {
						return window.take();
					} else if (obstacle.kind === 'usedUp') {
						const ms = obstacle.resetAt - now;
						if (obstacle.resetAt !== announcedReset) onWait(ms);
						announcedReset = obstacle.resetAt;
						await waiter.wait(ms);
					} else {
						const resetMs = (obstacle.resetAt ?? Infinity) - now;
						const wasWoken = window.mayChange() && (await waiter.wait(Math.min(SLOW_RESPONSE_MS, resetMs)));
						// Requests in flight may be counted already, and others may not use their share: the next response tells.
						if (!wasWoken) window.probe(serviceNow());
					}
				}
			} finally {
				waiter.leave();
			}
		},

		settle(headers, backoffMs, sentAt = clock.elapsed(), isOther = false) {
			const [unixNow, receivedAt] = [clock.now(), clock.elapsed()];
			const ownOrigin = unixNow - receivedAt;
			const { clockOffsetMs, timeOrigin } = account;
			const date = headers?.date;
			account.isClockKnown ||= !Number.isNaN(Date.parse(String(date)));
			account.clockOffsetMs = correctedOffset(clockOffsetMs, date, ownOrigin + sentAt, unixNow);
			account.timeOrigin = correctedOffset(timeOrigin || ownOrigin, date, sentAt, receivedAt);
			const now = receivedAt + account.timeOrigin;
			if (backoffMs === undefined) {
				window.settle(isOther ? undefined : headers, now);
			} else {
				const requestedMs = retryAfterMs({ statusCode: 429, headers: headers ?? {} }, unixNow);
				const pauseMs = Math.max(backoffMs, requestedMs);
				const isReported = window.settle(headers, now, pauseMs);
				const until = receivedAt + (isReported ? requestedMs : pauseMs);
				account.pausedUntil = Math.max(account.pausedUntil, until);
			}
			for (const waiter of queue) {
				const obstacle = obstacleAt(now);
				const isTooLate = obstacle && tooLateReset(waiter, obstacle) !== undefined;
				if (waiter.isFirst() || isTooLate) waiter.wake();
			}
		},

		release() {
			window.release();
			const [first] = queue;
			first?.wake();
		},
	};
}

/**
 * Joins a queue at its end.
 *
 * @param clock the clock of the waiter's execution
 * @param maxWaitMs how long it may wait, in milliseconds
 */
function joinQueue(queue: Set<Waiter>, clock: Clock, maxWaitMs: number): Waiter {
	const since = clock.elapsed();
	let wake = () => {};
	const first = () => queue.values().next().value;
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
			queue.delete(waiter);
			if (wasFirst) first()?.wake();
		},
	};
	queue.add(waiter);
	return waiter;
}

/**
 * The error for a request that was not sent, because the rate limit resets too late for it.
 *
 * @param until when the rate limit resets, in Unix milliseconds
 * @param waitOption the option with which it would have waited; undefined if there is none
 */
export function rateLimitError(until: number, waitOption?: string): ApiError {
	return new ApiError({
		message: `The account has reached its rate limit, which resets at ${new Date(until).toISOString()}`,
		description:
			waitOption === undefined
				? 'Run again after that time.'
				: `Run again after that time, or increase the option '${waitOption}' so that the node waits.`,
		code: 'rate_limit_exceeded',
		httpStatus: 429,
		neverSent: true,
	});
}

/**
 * Corrects the offset of the service's clock with the `Date` header of a response. The header holds whole seconds and the
 * response took time, so it only gives bounds. An offset within the bounds stays, so that equal clocks stay equal. Otherwise
 * the lower bound counts, so that the reset of a rate limit is expected too late rather than too early.
 *
 * @param offsetMs the offset so far, in milliseconds
 * @param date the `Date` header
 * @param sentAt when the request was sent, in milliseconds of our clock
 * @param receivedAt when the response arrived, in milliseconds of our clock
 * @returns how far the service's clock is ahead of ours, in milliseconds; negative when ours is ahead
 */
export function correctedOffset(offsetMs: number, date: unknown, sentAt: number, receivedAt: number): number {
	const serviceTime = typeof date === 'string' ? Date.parse(date) : NaN;
	const min = serviceTime - receivedAt;
	const max = serviceTime + 1000 - sentAt;
	return offsetMs < min || offsetMs > max ? min : offsetMs;
}
