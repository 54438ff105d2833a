import type { Call } from './call';
import type { Client } from './client';
import type { Clock } from './clock';
import { recordsOf } from './records';

const GET_QUEUE: Call = { method: 'GET', path: '/messages/queue', permission: 'messages:read' };

/** How long a look at the queue holds good. */
const LOOK_HOLDS_MS = 1000;
const FIRST_PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 15_000;

/**
 * Holds sends back while the service has more of them waiting than it should (API spec, "Limits").
 *
 * @param onWait told how long it waits until it looks again, in milliseconds
 * @returns waits until the queue is not longer than the given number of messages; 0 never waits
 */
export function createBackpressure(
	client: Client,
	clock: Clock,
	onWait: (ms: number) => void = () => {},
): (longestQueue: number) => Promise<void> {
	let lookedAt = -Infinity;
	let hold: Promise<void> | undefined;

	const untilShort = async (longestQueue: number): Promise<void> => {
		for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
			const [queue] = recordsOf(await client.call({ call: GET_QUEUE }));
			lookedAt = clock.now();
			// A queue that does not tell its length holds nobody back.
			if (!(Number(queue?.waiting) > longestQueue)) return;
			onWait(pause);
			await clock.sleep(pause);
		}
	};

	return async (longestQueue) => {
		if (longestQueue === 0 || (!hold && clock.now() - lookedAt < LOOK_HOLDS_MS)) return;
		// All that wait look through the same eyes.
		hold ??= untilShort(longestQueue).finally(() => (hold = undefined));
		await hold;
	};
}
