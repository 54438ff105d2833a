import type { IDataObject } from 'n8n-workflow';

import type { RequestLimits } from './apiRequest';
import type { Client } from './client';
import { GET_ACCOUNT } from './endpoints';
import { idOf, recordsOf } from './values';

/**
 * The ID of the account (API spec, "System").
 *
 * @returns undefined if the service does not name it
 * @throws ApiError if the request fails
 */
export async function accountIdOf(client: Client, limits?: RequestLimits): Promise<string | undefined> {
	return idOf((await readAccount(client, limits))?.id);
}

/**
 * The phone number of the account (API spec, "Resources and their fields").
 *
 * @returns undefined if the service does not name it
 * @throws ApiError if the request fails
 */
export async function accountPhoneOf(client: Client): Promise<string | undefined> {
	return idOf((await readAccount(client))?.phone_number);
}

async function readAccount(client: Client, limits?: RequestLimits): Promise<IDataObject | undefined> {
	return recordsOf(await client.call({ endpoint: GET_ACCOUNT, limits }))[0];
}
