import { TOLERANCE_SECONDS } from '../../api/timestampTolerance';

/** Whether a text is a Unix time in whole seconds, and nothing that only converts to a number. */
export function isWholeNumber(text: string): boolean {
	return /^\d{1,12}$/.test(text);
}

/**
 * Whether a delivery was made just now.
 *
 * @param timestamp the header's value: Unix time in whole seconds
 * @param now Unix time in milliseconds
 */
export function isFresh(timestamp: string | undefined, now: number): timestamp is string {
	if (timestamp === undefined || !isWholeNumber(timestamp)) return false;
	return Math.abs(now / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS;
}
