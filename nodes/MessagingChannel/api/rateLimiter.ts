import type { Clock } from './clock';
import { errorOfRateLimit } from './errors';

/** The state of the rate window, as the headers of an answer give it (API spec, "Limits"). */
interface Window {
	limit: number;
	remaining: number;
	/** Unix time in milliseconds. */
	resetAt: number;
}

/** Lets requests through as the service's rate window allows, in the order in which they asked. */
export interface RateLimiter {
	/**
	 * Waits for a place in the window. Each admitted request must be settled.
	 *
	 * @param longestWaitMs how long it may wait once it is its turn
	 * @throws ApiError `rate_limit_exceeded` when that is not long enough
	 */
	admit(longestWaitMs: number): Promise<void>;
	/**
	 * Takes an answer's headers into account.
	 *
	 * @param headers of the answer, or undefined when none came
	 * @param pauseMs given when the service answered 429: how long to pause if the headers do not tell
	 */
	settle(headers: Record<string, unknown> | undefined, pauseMs?: number): void;
}

/** A reset that lies further ahead than this is taken for a mistake, such as a value in milliseconds. */
const FURTHEST_RESET_MS = 24 * 60 * 60 * 1000;

/**
 * @param onWait told how long a wait is going to be, in milliseconds
 */
export function createRateLimiter(clock: Clock, onWait: (ms: number) => void = () => {}): RateLimiter {
	let inFlight = 0;
	/** Places that are certainly left; unknown until the first answer. */
	let places = Infinity;
	let window: Window | undefined;
	let lastTurn: Promise<unknown> = Promise.resolve();
	let wakeNext = () => {};

	const place = async (longestWaitMs: number): Promise<void> => {
		const deadline = clock.now() + longestWaitMs;
		while (true) {
			if (window && clock.now() >= window.resetAt) {
				places = window.limit - inFlight;
				window = undefined;
			}
			if (places > 0) break;
			if (window && window.remaining <= 0) {
				if (window.resetAt > deadline) throw errorOfRateLimit(window.resetAt);
				const ms = window.resetAt - clock.now();
				onWait(ms);
				await clock.sleep(ms);
			} else if (inFlight > 0) {
				// The service may have counted those under way or not; their answers will tell.
				await new Promise<void>((resolve) => (wakeNext = resolve));
			} else {
				places = 1;
			}
		}
		places--;
		inFlight++;
	};

	return {
		async admit(longestWaitMs) {
			const turn = lastTurn.then(async () => await place(longestWaitMs));
			lastTurn = turn.catch(() => {});
			await turn;
		},

		settle(headers, pauseMs) {
			inFlight--;
			const now = clock.now();
			const isRefused = pauseMs !== undefined;
			const seen = windowIn(headers ?? {}, now);
			const isEmpty = isRefused || seen?.remaining === 0;
			// Answers overtake each other: one about an earlier window counts only when it says that nothing is left.
			if (seen && (isEmpty || !window || seen.resetAt >= window.resetAt)) {
				// Of two about the same window, the lower count is the later one.
				const earlier = seen.resetAt === window?.resetAt ? window.remaining : Infinity;
				window = { ...seen, remaining: isRefused ? 0 : Math.min(seen.remaining, earlier) };
				places = window.remaining - inFlight;
			} else if (isRefused) {
				const emptyUntil = window && window.remaining <= 0 ? window.resetAt : 0;
				const resetAt = Math.max(emptyUntil, now + pauseMs);
				window = { limit: window?.limit ?? Infinity, remaining: 0, resetAt };
				places = 0;
			}
			wakeNext();
		},
	};
}

/** The window in an answer's headers; undefined when they are missing, or the reset is past or absurd. */
function windowIn(headers: Record<string, unknown>, now: number): Window | undefined {
	const limit = numberIn(headers['x-ratelimit-limit']);
	const remaining = numberIn(headers['x-ratelimit-remaining']);
	const resetAt = numberIn(headers['x-ratelimit-reset']) * 1000;
	const isUsable = resetAt > now && resetAt <= now + FURTHEST_RESET_MS && limit > 0 && remaining >= 0;
	return isUsable ? { limit, remaining, resetAt } : undefined;
}

function numberIn(header: unknown): number {
	return typeof header === 'string' && header.trim() !== '' ? Number(header) : NaN;
}
