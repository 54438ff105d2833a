import type { IDataObject } from 'n8n-workflow';

import type { RequestLimits } from '../../api/apiRequest';
import type { Client } from '../../api/client';
import { GET_QUEUE } from '../../api/endpoints';
import { countOf } from '../../api/reading';
import { recordsOf } from '../../api/records';

/**
 * The status of the account's queue (API spec, "Messages").
 *
 * @throws ApiError if the request fails
 */
export async function readQueue(client: Client, limits?: RequestLimits): Promise<IDataObject> {
	const [status = {}] = recordsOf(await client.call({ endpoint: GET_QUEUE, limits }));
	return status;
}

/** How many messages have not left the queue; NaN if the service does not say. */
export function unsentIn({ waiting, active, delayed }: IDataObject): number {
	return [waiting, active, delayed].reduce<number>((sum, count) => sum + (countOf(count) ?? NaN), 0);
}
