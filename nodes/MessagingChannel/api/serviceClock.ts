/**
 * How far the service's clock is ahead of ours, corrected by an answer. `Date` has whole seconds, and the answer was on
 * its way, so it only tells within which bounds that is. What fits is left alone: clocks that agree stay exactly so. Of
 * what does not fit, the least takes its place, so that a reset is taken for too late rather than too early.
 *
 * @param offsetMs as known so far
 * @param date the answer's header
 * @param sentAt when the request went out, in Unix milliseconds by our clock
 * @param receivedAt when the answer came
 * @returns milliseconds, below 0 when ours is ahead
 */
export function correctedOffset(offsetMs: number, date: unknown, sentAt: number, receivedAt: number): number {
	const told = typeof date === 'string' ? Date.parse(date) : NaN;
	const least = told - receivedAt;
	const most = told + 1000 - sentAt;
	return offsetMs < least || offsetMs > most ? least : offsetMs;
}
