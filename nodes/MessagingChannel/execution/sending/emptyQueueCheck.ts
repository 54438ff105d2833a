import type { Client } from '../../api/client';
import type { Clock } from '../../api/clock';
import { ApiError } from '../../api/errors';
import { readQueue } from '../../api/queue';

/** The pause between two looks. A message that has left the queue is in its chat after that. */
const LOOK_INTERVAL_MS = 5000;

/** How long a run waits for the queue to become empty. */
const EMPTY_TIMEOUT_MS = 5 * 60 * 1000;

/**
 * Waits until the queue is empty in two looks, so that no message of an earlier execution can be in it: at most five minutes in a
 * run, as later checks do not wait for a queue that never is. Once it was empty, there is no further look.
 *
 * @returns whether it was empty
 */
export type EmptyQueueCheck = () => Promise<boolean>;

/** Creates the check of the queue of one account. */
export function createEmptyQueueCheck(client: Client, clock: Clock): EmptyQueueCheck {
	let wasEmpty = false;
	let deadline: number | undefined;

	const isEmptyTwice = async (): Promise<boolean> => {
		let wasEmptyBefore = false;
		while (true) {
			deadline ??= clock.elapsed() + EMPTY_TIMEOUT_MS;
			// An unknown length does not count as empty.
			const isEmptyNow = (await readQueue(client)).unsent === 0;
			if (wasEmptyBefore && isEmptyNow) return true;
			if (!isEmptyNow && clock.elapsed() >= deadline) return false;
			wasEmptyBefore = isEmptyNow;
			await clock.sleep(LOOK_INTERVAL_MS);
		}
	};

	return async () => {
		wasEmpty ||= await isEmptyTwice().catch((error: unknown) => {
			if (error instanceof ApiError) return false;
			throw error;
		});
		return wasEmpty;
	};
}
