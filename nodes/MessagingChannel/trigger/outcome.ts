import { sleep } from 'n8n-workflow';

/** What is looked at of an HTTP response. */
export interface WatchedResponse {
	readonly statusCode: number;
	/** The connection is over, or the answer is out. */
	readonly closed: boolean;
	/** The answer was given, whether or not anybody was there to read it. */
	readonly writableEnded: boolean;
	once(event: 'close', listener: () => void): unknown;
}

/** n8n answers in the end, even when its database hangs; this only keeps the watch from lasting for ever. */
const LONGEST_WAIT_MS = 120_000;

const LOOK_EVERY_MS = 100;

/**
 * Resolves to whether n8n took the event of a request: it answers 200 once it has stored the execution, and 5xx when it
 * could not. When the sender hangs up before, n8n goes on all the same, so its answer is awaited although nobody reads it.
 */
export async function isTaken(response: WatchedResponse): Promise<boolean> {
	// The sender may have hung up while the delivery was examined, or waited for another one of the same event.
	if (!response.closed) await new Promise<void>((resolve) => response.once('close', resolve));
	for (let waited = 0; !response.writableEnded; waited += LOOK_EVERY_MS) {
		if (waited >= LONGEST_WAIT_MS) return false;
		await sleep(LOOK_EVERY_MS);
	}
	return response.statusCode < 500;
}
