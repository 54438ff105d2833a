import type { RequestLimits } from './apiRequest';
import type { Client } from './client';
import { GET_TAGS } from './endpoints';
import { listRecords } from './pagination';
import { understood } from './unreadable';
import { kindOf, nonEmptyText } from './values';

/**
 * The names of the account's tags (API spec, "Groups and tags").
 *
 * @throws ApiError also if no name is understood
 */
export async function tagNamesOf(client: Client, limits?: RequestLimits): Promise<string[]> {
	return understood(
		await listRecords(client, { endpoint: GET_TAGS, limits }, 'none', Infinity),
		({ name }) => nonEmptyText(name),
		({ name }) => ['tag.name', kindOf(name)],
	);
}
