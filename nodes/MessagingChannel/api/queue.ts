import type { RequestLimits } from './apiRequest';
import type { Client } from './client';
import { GET_QUEUE } from './endpoints';
import { countOf, kindOf, recordsOf } from './values';

/** The status of the account's queue (API spec, "Resources and their fields"). What is not understood is undefined. */
export interface Queue {
	waiting: number | undefined;
	failed: number | undefined;
	/** How many messages have not left it. */
	unsent: number | undefined;
	/** What kind of value tells how many wait, for a message to the user. */
	kindOfWaiting: string;
}

/**
 * Reads the queue (API spec, "Messages").
 *
 * @throws ApiError if the request fails
 */
export async function readQueue(client: Client, limits?: RequestLimits): Promise<Queue> {
	const [{ waiting, active, delayed, failed } = {}] = recordsOf(
		await client.call({ endpoint: GET_QUEUE, limits }),
	);
	const counts = [waiting, active, delayed].map(countOf);
	return {
		waiting: counts[0],
		failed: countOf(failed),
		unsent: counts.reduce((sum, count) =>
			sum === undefined || count === undefined ? undefined : sum + count,
		),
		kindOfWaiting: kindOf(waiting),
	};
}
