import type { RequestLimits } from '../../api/apiRequest';
import type { Client } from '../../api/client';
import type { Clock } from '../../api/clock';
import { readQueue } from '../../api/queue';
import { queueTooLongError, unreadableQueueError } from './sendErrors';

/** How long a polled queue length stays valid. */
const POLL_TTL_MS = 1000;
const FIRST_POLL_DELAY_MS = 2000;
const MAX_POLL_DELAY_MS = 15_000;

/** A send fails if the queue does not get shorter for this long. While it shrinks, the send waits without limit. */
const STALL_TIMEOUT_MS = 5 * 60 * 1000;

/** The length of the queue at one time. */
interface Poll {
	length: number;
	/** That of `clock.elapsed`. */
	at: number;
	/** Sends that were let through before. The length lacks the others. */
	sends: number;
}

/**
 * Waits until the queue of the service is short enough for one more send.
 *
 * @param maxLength the number of waiting messages above which the send waits
 * @throws ApiError `queue_too_long` if the queue does not get shorter for five minutes, or the error of a poll
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
	let latest: Poll = { length: NaN, at: -Infinity, sends: 0 };
	/** Sends that were let through. */
	let sends = 0;
	/** Waiters with the same rate-limit wait share one poll, so a short limit fails only the sends that have it. */
	const polls = new Map<number, Promise<Poll>>();

	const poll = async (delayMs: number, limits: RequestLimits): Promise<Poll> => {
		if (delayMs > 0) {
			onWait(delayMs);
			await clock.sleep(delayMs);
		}
		const sendsBefore = sends;
		const { waiting: length, kindOfWaiting } = await readQueue(client, limits);
		if (length === undefined) throw unreadableQueueError(kindOfWaiting);
		return { length, at: clock.elapsed(), sends: sendsBefore };
	};

	const sharedPoll = async (delayMs: number, limits: RequestLimits): Promise<Poll> => {
		const key = limits.maxRateLimitWait;
		const shared = polls.get(key) ?? poll(delayMs, limits).finally(() => polls.delete(key));
		polls.set(key, shared);
		return await shared;
	};

	return async (maxLength, limits) => {
		let shortest = Infinity;
		let shorterAt = 0;
		let delayMs = FIRST_POLL_DELAY_MS;
		if (clock.elapsed() - latest.at >= POLL_TTL_MS) latest = await sharedPoll(0, limits);
		while (latest.length + sends - latest.sends > maxLength) {
			if (latest.length < shortest || latest.length <= maxLength) {
				shortest = latest.length;
				shorterAt = clock.elapsed();
			}
			const leftMs = shorterAt + STALL_TIMEOUT_MS - clock.elapsed();
			if (leftMs <= 0) throw queueTooLongError(latest.length);
			latest = await sharedPoll(Math.min(delayMs, leftMs), limits);
			delayMs = latest.length > maxLength ? Math.min(delayMs * 2, MAX_POLL_DELAY_MS) : FIRST_POLL_DELAY_MS;
		}
		sends++;
	};
}
