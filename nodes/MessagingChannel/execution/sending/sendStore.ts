import { ApiError, messageOf } from '../../api/errors';
import type { ActionRun } from '../../n8n/actionRun';
import type { KeyStore } from '../../n8n/keyStore';
import { createSerialQueues } from '../../n8n/serialQueue';

/** Three keys for each of 20,000 request IDs, and some for when they were sent; about 1.7 MB. */
const MAX_KEYS = 64_000;

/** n8n reads, changes and writes the whole row of a node, so this process makes one call at a time for each node. */
const inSeries = createSerialQueues();

/** The store of what a node has sent. Retries and request IDs share it. */
export function sendStoreOf(run: ActionRun): KeyStore {
	const store = run.keyStore(MAX_KEYS);
	return {
		record: async (keys) => await inSeries(run.nodeKey, async () => await store.record(keys)),
		remove: async (keys) => await inSeries(run.nodeKey, async () => await store.remove(keys)),
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
