import type { Clock } from './clock';
import type { Settings } from './settings';

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/**
 * Counts requests in fixed windows that follow each other without a gap, by `settings.rateLimit` and the service's clock; the
 * first begins with the first request ("Limits").
 */
export function createRateLimiter(settings: Settings, clock: Clock) {
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
		/** Counts one request; false when the window is used up. */
		take: (): boolean => {
			if (!isOpen()) openNext();
			if (used >= settings.rateLimit.limit) return false;
			used += 1;
			return true;
		},
		/** The window as it stands; `resetAt` is its exact end in milliseconds. */
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
export const rateLimitHeaders = ({ limit, remaining, resetAt }: ReturnType<RateLimiter['state']>) => ({
	'X-RateLimit-Limit': String(limit),
	'X-RateLimit-Remaining': String(remaining),
	'X-RateLimit-Reset': String(Math.ceil(resetAt / 1000)),
});

/** `2m`, `90s`, `0.5s`. */
export const windowName = (seconds: number): string =>
	seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`;
