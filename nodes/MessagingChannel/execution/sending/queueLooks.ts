import type { Client } from '../../api/client';
import type { Clock } from '../../api/clock';
import { GET_QUEUE } from '../../api/endpoints';
import { ApiError } from '../../api/errors';
import { recordsOf } from '../../api/records';

/** The pause between two looks. A message that has left the queue is in its chat after that. */
const LOOK_INTERVAL_MS = 5000;

/** How long to wait for the queue to become empty. */
const EMPTY_TIMEOUT_MS = 5 * 60 * 1000;

/** Looks whether messages of an earlier execution can still be in the queue of the service. */
export interface QueueLooks {
	/** Waits until the queue is empty in two looks, at most five minutes. */
	look(): Promise<void>;
	/** Whether the queue was empty when it was looked at last. */
	wasEmpty(): boolean;
}

/** Creates the looks at the queue of one account. */
export function createQueueLooks(client: Client, clock: Clock): QueueLooks {
	let wasEmpty = false;

	const isEmpty = async (): Promise<boolean> => {
		const [queue] = recordsOf(await client.call({ endpoint: GET_QUEUE }));
		// An unknown length is NaN, which does not count as empty.
		return Number(queue?.waiting) + Number(queue?.active) + Number(queue?.delayed) === 0;
	};

	const isEmptyTwice = async (): Promise<boolean> => {
		const deadline = clock.now() + EMPTY_TIMEOUT_MS;
		let wasEmptyBefore = false;
		while (true) {
			const isEmptyNow = await isEmpty();
			if (wasEmptyBefore && isEmptyNow) return true;
			if (clock.now() >= deadline) return false;
			wasEmptyBefore = isEmptyNow;
			await clock.sleep(LOOK_INTERVAL_MS);
		}
	};

	return {
		async look() {
			wasEmpty = false;
			wasEmpty = await isEmptyTwice().catch((error: unknown) => {
				if (error instanceof ApiError) return false;
				throw error;
			});
		},
		wasEmpty: () => wasEmpty,
	};
}
