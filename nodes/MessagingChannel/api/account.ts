import type { RequestLimits } from './apiRequest';
import type { Client } from './client';
import { GET_ACCOUNT } from './endpoints';
import { idOf } from './reading';
import { recordsOf } from './records';

/**
 * The ID of the account (API spec, "System").
 *
 * @returns undefined if the service does not name it
 * @throws ApiError if the request fails
 */
export async function accountIdOf(client: Client, limits?: RequestLimits): Promise<string | undefined> {
	const [account] = recordsOf(await client.call({ endpoint: GET_ACCOUNT, limits }));
	return idOf(account?.id);
}
