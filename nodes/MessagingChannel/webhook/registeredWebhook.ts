import type { Client } from '../api/client';
import { GET_WEBHOOK } from '../api/endpoints';
import { isOwn404 } from '../api/errors';
import { recordsOf } from '../api/records';
import type { Registration } from './subscribers';

/** The service's default (API spec, "Webhooks"). */
export const DEFAULT_TIMEOUT_SECONDS = 30;

/** The account's webhook as the service has it. */
export interface RegisteredWebhook extends Registration {
	/** When the webhook was set, if the service reports it. */
	since?: string;
}

/**
 * Reads the account's webhook (API spec, "Webhooks").
 *
 * @returns undefined if there is none, or a disabled one
 * @throws ApiError if the request fails
 */
export async function readRegisteredWebhook(client: Client): Promise<RegisteredWebhook | undefined> {
	const [webhook] = await client
		.call({ endpoint: GET_WEBHOOK })
		.then(recordsOf, async (error: unknown) => (isOwn404(error) ? [] : await Promise.reject(error)));
	if (!webhook || webhook.is_active === false || !webhook.url) return undefined;
	const since = webhook.updated_at ?? webhook.created_at;
	return {
		url: String(webhook.url),
		events: Array.isArray(webhook.events) ? webhook.events.map(String) : [],
		timeoutSeconds: Number(webhook.timeout_seconds ?? DEFAULT_TIMEOUT_SECONDS),
		since: typeof since === 'string' ? since : undefined,
	};
}
