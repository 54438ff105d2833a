import { isIdempotent, type Endpoint } from './apiRequest';
import type { ApiError } from './errors';

/**
 * Whether a retry can help and is safe (API spec, "Errors", retry rules). A send or create is retried only when it is
 * proven that the service did not process it.
 */
export function mayRetry(endpoint: Endpoint, error: ApiError): boolean {
	if (error.permanent) return false;
	if ((error.httpStatus === 429 && !error.ambiguous) || error.neverSent) return true;
	const isTemporary = error.httpStatus === null || error.httpStatus >= 500;
	return isTemporary && isIdempotent(endpoint);
}

/**
 * The exponential backoff before the next attempt: 1, 2, 4, 8 … up to 64 seconds (API spec, "Errors", retry rules). Up to
 * half of it is taken off at random, so that many callers do not retry at the same moment.
 *
 * @param attempt the number of the last attempt, from 1
 * @param random from 0 up to, but not including, 1
 * @returns milliseconds
 */
export function backoffMs(attempt: number, random: number): number {
	return Math.min(2 ** (attempt - 1), 64) * 1000 * (1 - random / 2);
}

/** After this time, a service that asks for a longer pause is asked again. */
const MAX_RETRY_AFTER_MS = 24 * 60 * 60 * 1000;

/**
 * The pause that the `Retry-After` header of a 429 or 503 asks for, in seconds or as a date. A date is compared with the
 * `Date` header.
 *
 * @param now Unix time in milliseconds, for a response without `Date`
 * @returns milliseconds, at most a day; 0 without a usable header
 */
export function retryAfterMs(
	{ statusCode, headers }: { statusCode: number; headers: Record<string, unknown> },
	now: number,
): number {
	if (statusCode !== 429 && statusCode !== 503) return 0;
	const retryAfter = String(headers['retry-after']).trim();
	// JavaScript takes 32.5 for a date in 2032.
	const ms = /^\d+(\.\d+)?$/.test(retryAfter)
		? Number(retryAfter) * 1000
		: Date.parse(retryAfter) - (Date.parse(String(headers.date)) || now);
	return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : 0;
}
