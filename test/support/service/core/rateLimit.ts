import type { Clock } from './clock';
import type { Settings } from './settings';

/** The account's window as it stands ("Limits"). */
export interface RateLimitState {
	limit: number;
	remaining: number;
	/** The exact end of the window in milliseconds. */
	resetAt: number;
}

/** Counts requests in fixed windows that follow each other without a gap; the first begins with the first request. */
export interface RateLimiter {
	/** Counts one request; false when the window is used up. */
	take(): boolean;
	state(): RateLimitState;
	restart(): void;
}

/** A limiter that follows `settings.rateLimit` and the service's clock. */
export function createRateLimiter(settings: Settings, clock: Clock): RateLimiter {
	let resetAt = 0;
	let used = 0;
	const windowMs = () => settings.rateLimit.windowSeconds * 1000;
	// A clock that was set back must not leave a window open for longer than its length.
	const isOpen = () => clock.now() < resetAt && resetAt - clock.now() <= windowMs();
	const openNext = () => {
		const sinceReset = clock.now() - resetAt;
		resetAt =
			resetAt === 0 || sinceReset < 0
				? clock.now()
				: resetAt + Math.floor(sinceReset / windowMs()) * windowMs();
		resetAt += windowMs();
		used = 0;
	};
	return {
		take: () => {
			if (!isOpen()) openNext();
			if (used >= settings.rateLimit.limit) return false;
			used += 1;
			return true;
		},
		state: () => {
			const { limit } = settings.rateLimit;
			if (!isOpen()) return { limit, remaining: limit, resetAt: clock.now() + windowMs() };
			return { limit, remaining: Math.max(0, limit - used), resetAt };
		},
		restart: () => {
			resetAt = 0;
		},
	};
}

/** The three headers; `Reset` is rounded up, so that a caller who waits for it is never early. */
export function rateLimitHeaders(state: RateLimitState): Record<string, string> {
	return {
		'X-RateLimit-Limit': String(state.limit),
		'X-RateLimit-Remaining': String(state.remaining),
		'X-RateLimit-Reset': String(Math.ceil(state.resetAt / 1000)),
	};
}

/** `2m`, `90s`, `0.5s`. */
export const windowName = (seconds: number): string =>
	seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`;
