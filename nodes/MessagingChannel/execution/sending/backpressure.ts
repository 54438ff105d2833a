import { GET_QUEUE } from '../../api/endpoints';
import type { RequestLimits } from '../../api/apiRequest';
import type { Client } from '../../api/client';
import type { Clock } from '../../api/clock';
import { errorOfLongQueue } from '../../api/errors';
import { recordsOf } from '../../api/records';

/** How long a look at the queue holds good. */
const LOOK_HOLDS_MS = 1000;
const FIRST_PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 15_000;

/** The end of waiting for a queue that does not get shorter. One that does may take its time. */
const STANDSTILL_MS = 5 * 60 * 1000;

/**
 * Holds a send back until the queue is not longer than the given number of messages; 0 never waits.
 *
 * @param patience of the send, which its looks at the queue have too
 * @throws ApiError `queue_too_long` when the queue has not become shorter for five minutes
 */
export type HoldBack = (longestQueue: number, limits: RequestLimits) => Promise<void>;

/**
 * Holds sends back while the service has more of them waiting than it should (API spec, "Limits").
 *
 * @param onWait told how long it waits until it looks again, in milliseconds
 */
export function createBackpressure(
	client: Client,
	clock: Clock,
	onWait: (ms: number) => void = () => {},
): HoldBack {
	let waiting = NaN;
	let lookedAt = -Infinity;
	/** All waiters share one poll, except that one with little patience must not fail the others. */
	const looks = new Map<number, Promise<void>>();

	const look = async (pause: number, limits: RequestLimits): Promise<void> => {
		if (pause > 0) {
			onWait(pause);
			await clock.sleep(pause);
		}
		const [queue] = recordsOf(await client.call({ endpoint: GET_QUEUE, limits }));
		waiting = Number(queue?.waiting);
		lookedAt = clock.now();
	};

	const sharedLook = async (pause: number, limits: RequestLimits): Promise<void> => {
		const key = limits.maxRateLimitWait;
		if (!looks.has(key)) {
			looks.set(
				key,
				look(pause, limits).finally(() => looks.delete(key)),
			);
		}
		await looks.get(key);
	};

	return async (longestQueue, limits) => {
		if (longestQueue === 0) return;
		let shortest = Infinity;
		let deadline = Infinity;
		if (clock.now() - lookedAt >= LOOK_HOLDS_MS) await sharedLook(0, limits);
		// A queue that does not tell its length holds nobody back.
		for (let pause = FIRST_PAUSE_MS; waiting > longestQueue; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
			if (waiting < shortest) {
				shortest = waiting;
				deadline = clock.now() + STANDSTILL_MS;
			}
			const leftMs = deadline - clock.now();
			if (leftMs <= 0) throw errorOfLongQueue(waiting);
			await sharedLook(Math.min(pause, leftMs), limits);
		}
	};
}
