import { TOLERANCE_SECONDS } from '../../api/timestampTolerance';

/** Whether a text is a Unix time in whole seconds. Other texts that `Number` accepts, such as `1e9`, are not. */
export function isWholeNumber(text: string | undefined): text is string {
	return /^\d{1,12}$/.test(String(text));
}

/**
 * Whether the timestamp of a delivery is within the tolerance (API spec, "Authentication" 6).
 *
 * @param timestamp the value of `X-Service-Timestamp`: Unix time in whole seconds
 * @param now Unix time in milliseconds
 */
export function isFresh(timestamp: string | undefined, now: number): timestamp is string {
	return isWholeNumber(timestamp) && Math.abs(now / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS;
}
