import { rateLimitHeaders } from './core/rateLimit';
import type { Runtime } from './core/runtime';

/** What every answer carries: the time by the service's clock, and the rate window unless it is kept quiet. */
export function commonHeaders(runtime: Runtime): Record<string, string> {
	const { settings, rateLimiter } = runtime;
	return {
		...dateHeader(runtime),
		...(settings.rateLimitHeaders ? rateLimitHeaders(rateLimiter.state()) : {}),
	};
}

/** What an answer of a proxy carries, whose clock goes with the service's. */
export function dateHeader({ clock }: Runtime): Record<string, string> {
	return { Date: httpDate(clock.now()) };
}

/** When a request over the limit may come again. */
export function retryAfter({ clock, settings, rateLimiter }: Runtime): Record<string, string> {
	const { resetAt } = rateLimiter.state();
	switch (settings.retryAfter) {
		case 'none':
			return {};
		case 'seconds':
			return { 'Retry-After': String(Math.ceil((resetAt - clock.now()) / 1000)) };
		case 'date':
			return { 'Retry-After': httpDate(Math.ceil(resetAt / 1000) * 1000) };
	}
}

/** `Thu, 31 Jan 2030 09:00:00 GMT`: whole seconds, the rest cut off. */
const httpDate = (ms: number): string => new Date(ms).toUTCString();
