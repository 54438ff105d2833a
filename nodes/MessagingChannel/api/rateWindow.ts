import { countOf, secondsOf } from './values';

/** Why no further request may be sent now. Unless the window is used up, the next response may show room. */
export type Obstacle =
	/** Used up: nothing is left until the reset. Reserved: what is left may go to other callers or to our requests in flight. */
	| { kind: 'usedUp' | 'reserved'; resetAt: number }
	/** Too few responses have reported the window. */
	| { kind: 'unknown'; resetAt?: number };

/**
 * The rate-limit window of an account, as all executions of this process know it (API spec, "Limits"). All times are Unix
 * milliseconds of the service's clock.
 */
export interface RateWindow {
	/** Why a request may not be sent now; undefined when it may. */
	obstacle(now: number): Obstacle | undefined;
	/** Counts a request that is sent. Each must be settled or released. */
	take(): void;
	/** Takes back a request that was not sent. */
	release(): void;
	/** Allows one request that finds out how much is left. */
	probe(now: number): void;
	/** Whether waiting can change the result: a response is in flight, or other callers may not use their share. */
	mayChange(): boolean;
	/** Whether the last report or probe is so old that the window may have changed. */
	isStale(now: number): boolean;
	/** How many requests may be in flight and still leave room for mistakes; 0 when nothing is known about the window. */
	safeConcurrency(now: number): number;
	/** Whether at least half of the window is left, or nothing is known about it. */
	isHalfFree(now: number): boolean;
	/** How far apart requests must be to use half of what is left until the reset, in milliseconds; 0 when nothing is known. */
	spacingMs(now: number): number;
	/**
	 * Updates the window from the headers of a response.
	 *
	 * @param headers undefined without a response
	 * @param pauseMs set for a 429: how long to pause when the headers do not say, in milliseconds
	 * @returns whether the headers report the window
	 */
	settle(headers: Record<string, unknown> | undefined, now: number, pauseMs?: number): boolean;
}

/** The state of the window, as the headers of a response report it. */
interface Window {
	limit: number;
	remaining: number;
	resetAt: number;
}

/** Requests in flight before a response shows what other callers use. Each response then allows one more. */
const INITIAL_SLOTS = 10;

/** So many requests must be left for each one in flight, as others may call the account meanwhile. */
const REQUESTS_FOR_EACH_IN_FLIGHT = 8;

/** A window without news for this long never fails a request without asking the service again. */
const STALE_MS = 10_000;

/** The reset is reported in whole seconds, so a window can end up to a second before it. */
const ROUNDING_MS = 1000;

/** A later reset than that of a quota for a month is considered a mistake. */
const FURTHEST_RESET_MS = 32 * 24 * 60 * 60 * 1000;

/** Creates the window of an account that has not been called yet. */
export function createRateWindow(): RateWindow {
	let window: Window | undefined;
	/** Whether the service has ever reported a limit. A response without one is then that of a proxy. */
	let hasLimit = false;
	let inFlight = 0;
	/** How many requests may be sent now. */
	let slots = INITIAL_SLOTS;
	/** Our requests with a response that the current window has counted. */
	let completed = 0;
	/** What was left before the last probe, which finds out whether others still call. */
	let remainingBeforeProbe: number | undefined;
	/** When the service last reported the window, and when it was probed. */
	let updatedAt = 0;
	let probedAt = 0;
	/** Our share of the used requests, from 0 to 1. Others, such as n8n's other workers, may call the account too. */
	let share = 1;

	/** A complete window shows whether others now use less of it. */
	const close = ({ limit, remaining }: Window) => {
		const used = limit - remaining;
		if (used > 0) share = Math.min(1, Math.max(share, completed / used));
		completed = 0;
	};

	/** How many requests are left for us, including those in flight. Others use their share at the same time. */
	const remainingForUs = ({ limit, remaining }: Window) =>
		Math.min(Math.floor(limit * share) - completed, remaining);

	/** How many further requests may be sent now. Others may just have started to call. */
	const slotsIn = (current: Window) =>
		Math.min(remainingForUs(current), INITIAL_SLOTS + completed) - inFlight;

	/** When our share of the last requests is less than one, they are left to other callers. */
	const isUsedUp = ({ limit, remaining }: Window) => remaining <= limit / 10 && remaining * share < 1;

	const isOver = ({ resetAt }: Window, now: number) => now >= resetAt;

	/** Counts a response with a report about the current window, or about a new one. */
	const update = (reported: Window, isRefused: boolean): void => {
		hasLimit = true;
		const isSame = reported.resetAt === window?.resetAt;
		if (window && !isSame) close(window);
		if (!isRefused) completed++;
		// Of two reports about the same window, the one with less remaining is the later one.
		const remaining = Math.min(reported.remaining, window && isSame ? window.remaining : Infinity);
		const used = reported.limit - remaining;
		// Requests in flight may already be counted. Never 0, which times a limit that is not known is no number.
		if (used > 0) share = Math.min(share, Math.max(1, completed + inFlight) / used);
		// No one else has called since the probe.
		if (isSame && remaining + 1 === remainingBeforeProbe) share = 1;
		remainingBeforeProbe = undefined;
		window = { ...reported, remaining: isRefused ? 0 : remaining };
		slots = slotsIn(window);
	};

	return {
		obstacle(now) {
			if (window && isOver(window, now)) {
				close(window);
				slots = slotsIn({ ...window, remaining: window.limit });
				window = undefined;
			}
			if (slots > 0) return undefined;
			if (!window) return { kind: 'unknown' };
			const kind = isUsedUp(window) ? 'usedUp' : remainingForUs(window) > inFlight ? 'unknown' : 'reserved';
			return { kind, resetAt: window.resetAt };
		},

		take() {
			slots--;
			inFlight++;
		},

		release() {
			inFlight--;
			// It can have been the probe, whose place is nobody else's: the next one probes again.
			probedAt = 0;
			slots = Math.min(slots + 1, window ? Math.max(0, slotsIn(window)) : Infinity);
		},

		probe(now) {
			slots = 1;
			probedAt = now;
			remainingBeforeProbe = inFlight === 0 ? window?.remaining : undefined;
		},

		mayChange: () => inFlight > 0 || window !== undefined,

		isStale: (now) => now - Math.max(updatedAt, probedAt) >= STALE_MS,

		safeConcurrency: (now) =>
			window && !isOver(window, now)
				? Math.max(0, Math.floor(remainingForUs(window) / REQUESTS_FOR_EACH_IN_FLIGHT))
				: 0,

		spacingMs: (now) =>
			window && !isOver(window, now)
				? (window.resetAt - now) / Math.max(1, (window.remaining - inFlight) / 2)
				: 0,

		isHalfFree: (now) => !window || isOver(window, now) || window.remaining - inFlight >= window.limit / 2,

		settle(headers, now, pauseMs) {
			const isRefused = pauseMs !== undefined;
			inFlight--;
			const reported = windowIn(headers ?? {}, now, window?.resetAt);
			const isExhausted = isRefused || reported?.remaining === 0;
			if (reported || isRefused) updatedAt = now;
			else completed++;
			// Responses can arrive out of order. A report about an earlier window counts only when nothing is left in it.
			const isOutdated =
				reported && window && reported.resetAt < window.resetAt && reported.resetAt <= now + ROUNDING_MS;
			if (reported && (isExhausted || !isOutdated)) {
				update(reported, isRefused);
			} else if (isRefused) {
				const emptyUntil = window && window.remaining <= 0 ? window.resetAt : 0;
				const resetAt = Math.max(emptyUntil, now + pauseMs);
				window = { limit: window?.limit ?? Infinity, remaining: 0, resetAt };
				slots = 0;
			} else if (!window) {
				const isUnlimited = !hasLimit && headers !== undefined && headers['x-ratelimit-limit'] === undefined;
				slots = isUnlimited ? Infinity : slots + 1;
			}
			return reported !== undefined;
		},
	};
}

/** The window in the headers of a response; undefined when they are missing, or the reset is past or too far ahead. */
function windowIn(
	headers: Record<string, unknown>,
	now: number,
	knownReset: number | undefined,
): Window | undefined {
	const resetAt = resetIn(headers['x-ratelimit-reset'], now, knownReset);
	const [limit = NaN, remaining = NaN] = [headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']].map(
		countOf,
	);
	const isUsable = resetAt > now && resetAt <= now + FURTHEST_RESET_MS && limit > 0 && remaining >= 0;
	return isUsable ? { limit, remaining, resetAt } : undefined;
}

/** When a window resets: a time in any form, or so many seconds from now, which is the known reset to within rounding. */
function resetIn(told: unknown, now: number, knownReset = NaN): number {
	const seconds = secondsOf(told);
	if (seconds !== undefined) return seconds * 1000;
	const secondsLeft = countOf(told);
	if (secondsLeft === undefined) return Date.parse(String(told));
	const resetAt = now + secondsLeft * 1000;
	return Math.abs(resetAt - knownReset) < 2 * ROUNDING_MS ? knownReset : resetAt;
}
