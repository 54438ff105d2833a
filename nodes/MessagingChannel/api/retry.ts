import type { Call } from './call';
import { isRepeatable } from './call';
import type { ApiError } from './errors';

/**
 * Whether trying again can help and cannot do harm (API spec, "Errors", retry rules). A send or create is repeated
 * only when the service certainly did not take it.
 */
export function mayRetry(call: Call, error: ApiError): boolean {
	if (error.permanent) return false;
	if ((error.httpStatus === 429 && !error.ambiguous) || error.neverTaken) return true;
	const isPassing = error.httpStatus === null || error.httpStatus >= 500;
	return isPassing && isRepeatable(call);
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
