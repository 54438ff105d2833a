/**
 * Corrects the offset of the service's clock with the `Date` header of a response. The header holds whole seconds and the
 * response took time, so it only gives bounds. An offset within the bounds stays, so that equal clocks stay equal. Otherwise
 * the lower bound counts, so that the reset of a rate limit is expected too late rather than too early.
 *
 * @param offsetMs the offset so far, in milliseconds
 * @param date the `Date` header
 * @param sentAt when the request was sent, in Unix milliseconds of our clock
 * @param receivedAt when the response arrived, in Unix milliseconds of our clock
 * @returns how far the service's clock is ahead of ours, in milliseconds; negative when ours is ahead
 */
export function correctedOffset(offsetMs: number, date: unknown, sentAt: number, receivedAt: number): number {
	const serviceTime = typeof date === 'string' ? Date.parse(date) : NaN;
	const min = serviceTime - receivedAt;
	const max = serviceTime + 1000 - sentAt;
	return offsetMs < min || offsetMs > max ? min : offsetMs;
}
