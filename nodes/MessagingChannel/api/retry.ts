import type { IN8nHttpFullResponse } from 'n8n-workflow';

import type { Endpoint } from './apiRequest';
import { isIdempotent } from './apiRequest';
import type { ApiError } from './errors';

/**
 * Whether trying again can help and cannot do harm (API spec, "Errors", retry rules). A send or create is repeated
 * only when the service certainly did not take it.
 */
export function mayRetry(endpoint: Endpoint, error: ApiError): boolean {
	if (error.permanent) return false;
	if ((error.httpStatus === 429 && !error.ambiguous) || error.neverSent) return true;
	const isPassing = error.httpStatus === null || error.httpStatus >= 500;
	return isPassing && isIdempotent(endpoint);
}

/**
 * How long to wait before the next try: 1, 2, 4, 8 … seconds, less up to half of it by chance, so that many callers do
 * not come back at the same moment.
 *
 * @param tries how many there were so far, from 1
 * @param random from 0 up to, but not including, 1
 * @returns milliseconds
 */
export function backoffMs(tries: number, random: number): number {
	return Math.min(2 ** (tries - 1), 64) * 1000 * (1 - random / 2);
}

/** A pause longer than this is taken for a mistake. */
const LONGEST_PAUSE_MS = 24 * 60 * 60 * 1000;

/**
 * How long a service that refuses (429) or is not available (503) asks to be left alone: `Retry-After`, in seconds or as
 * a time by the clock that the answer's `Date` shows.
 *
 * @param now Unix time in milliseconds, for an answer without `Date`
 * @returns milliseconds; 0 when it asks for nothing that makes sense
 */
export function retryAfterMs(
	{ statusCode, headers }: Pick<IN8nHttpFullResponse, 'statusCode' | 'headers'>,
	now: number,
): number {
	if (statusCode !== 429 && statusCode !== 503) return 0;
	const asked = String(headers['retry-after'] ?? '').trim();
	const ms = /^\d+$/.test(asked)
		? Number(asked) * 1000
		: Date.parse(asked) - (Date.parse(String(headers.date)) || now);
	return ms > 0 && ms <= LONGEST_PAUSE_MS ? ms : 0;
}
