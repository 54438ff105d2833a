import type { RequestLimits } from '../../api/apiRequest';
import type { Client } from '../../api/client';
import type { Clock } from '../../api/clock';
import { readQueue } from './queue';
import { queueTooLongError } from './sendErrors';

/** How long a polled queue length stays valid. */
const POLL_TTL_MS = 1000;
const FIRST_POLL_DELAY_MS = 2000;
const MAX_POLL_DELAY_MS = 15_000;

/** A send fails if the queue does not get shorter for this long. While it shrinks, the send waits without limit. */
const STALL_TIMEOUT_MS = 5 * 60 * 1000;

/**
 * Waits until the queue of the service is short enough for one more send.
 *
 * @param maxLength the number of waiting messages above which the send waits; 0 turns the check off
 * @param limits the request limits of the send; each poll of the queue uses them too
 * @throws ApiError `queue_too_long` if the queue does not get shorter for five minutes, or the error of a failed poll
 */
export type WaitForQueue = (maxLength: number, limits: RequestLimits) => Promise<void>;

/**
 * Delays sends while the queue of the service is too long (API spec, "Limits").
 *
 * @param onWait called before each wait, with its length in milliseconds
 */
export function createBackpressure(
	client: Client,
	clock: Clock,
	onWait: (ms: number) => void = () => {},
): WaitForQueue {
	let queueLength = NaN;
	let polledAt = -Infinity;
	/** Waiters with the same rate-limit wait share one poll, so a short limit fails only the sends that have it. */
	const polls = new Map<number, Promise<void>>();

	const poll = async (delayMs: number, limits: RequestLimits): Promise<void> => {
		if (delayMs > 0) {
			onWait(delayMs);
			await clock.sleep(delayMs);
		}
		queueLength = Number((await readQueue(client, limits)).waiting);
		polledAt = clock.now();
	};

	const sharedPoll = async (delayMs: number, limits: RequestLimits): Promise<void> => {
		const key = limits.maxRateLimitWait;
		if (!polls.has(key)) {
			polls.set(
				key,
				poll(delayMs, limits).finally(() => polls.delete(key)),
			);
		}
		await polls.get(key);
	};

	return async (maxLength, limits) => {
		if (maxLength === 0) return;
		let shortestLength = Infinity;
		let deadline = Infinity;
		if (clock.now() - polledAt >= POLL_TTL_MS) await sharedPoll(0, limits);
		// An unknown length is NaN, which delays no send.
		for (
			let delayMs = FIRST_POLL_DELAY_MS;
			queueLength > maxLength;
			delayMs = Math.min(delayMs * 2, MAX_POLL_DELAY_MS)
		) {
			if (queueLength < shortestLength) {
				shortestLength = queueLength;
				deadline = clock.now() + STALL_TIMEOUT_MS;
			}
			const leftMs = deadline - clock.now();
			if (leftMs <= 0) throw queueTooLongError(queueLength);
			await sharedPoll(Math.min(delayMs, leftMs), limits);
		}
	};
}
