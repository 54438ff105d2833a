import type { IExecuteFunctions } from 'n8n-workflow';

import { ApiError, messageOf } from '../../api/errors';
import { keyStoreOf, type KeyStore } from '../../n8n/keyStore';
import { nodeKeyOf } from '../../n8n/nodeKey';
import { createSerialQueues } from '../../n8n/serialQueue';

/** Three keys for each of 20,000 request IDs, and some for when they were sent; about 1.7 MB. */
const MAX_KEYS = 64_000;

/** n8n reads, changes and writes the whole row of a node, so this process makes one call at a time for each node. */
const inSeries = createSerialQueues();

/** The store of what a node has sent. Retries and request IDs share it. */
export function sendStoreOf(context: IExecuteFunctions): KeyStore {
	const store = keyStoreOf(context, MAX_KEYS);
	const node = nodeKeyOf(context);
	return {
		record: async (keys) => await inSeries(node, async () => await store.record(keys)),
		remove: async (keys) => await inSeries(node, async () => await store.remove(keys)),
	};
}

/**
 * The error for a send whose earlier status is unknown.
 *
 * @param error why n8n's database could not be used
 * @param message what could not be checked
 */
export function databaseError(error: unknown, message: string): ApiError {
	return new ApiError({
		message,
		description: `Nothing was sent. Retry the execution when n8n's database is available again (${messageOf(error)}).`,
		code: 'database_error',
		httpStatus: null,
	});
}
