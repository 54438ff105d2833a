import type { Client } from '../api/client';
import { GET_WEBHOOK } from '../api/endpoints';
import { isOwn404 } from '../api/errors';
import { countOf, flagOf, isEntered, kindOf, recordsOf, secondsOf, textsOf } from '../api/values';
import { UnreadableField } from '../api/unreadable';
import { ALL_EVENTS } from './sharedUrl';
import type { Registration } from './subscribers';

/** The service's default (API spec, "Webhooks"). */
export const DEFAULT_TIMEOUT_SECONDS = 30;

/** A number above is a mistake, for example one in milliseconds. */
export const MAX_TIMEOUT_SECONDS = 3_600;

/** The API can get new events, but none that is written in another way, as a name for several would be. */
const EVENT_NAME = /^[a-z]+\.[a-z_.]+$/;

/** The account's webhook as the service has it. */
export interface RegisteredWebhook extends Registration {
	/**
	 * Whether the service does not say which events it sends, in a form that is understood. All of them then count as wanted,
	 * so that another system that shares the webhook, or gets it back, loses none.
	 */
	hasUnknownEvents?: boolean;
	/** Whether its timeout is not understood. The default then stands for it. */
	hasUnknownTimeout?: boolean;
	/** When the webhook was set, in ISO 8601, if the service reports it. */
	since?: string;
}

/**
 * Reads the account's webhook (API spec, "Webhooks").
 *
 * @returns undefined if there is none, or a disabled one
 * @throws ApiError if the request fails, or its URL is not understood
 */
export async function readRegisteredWebhook(client: Client): Promise<RegisteredWebhook | undefined> {
	const webhooks = await client
		.call({ endpoint: GET_WEBHOOK })
		.then(recordsOf, async (error: unknown) => (isOwn404(error) ? [] : await Promise.reject(error)));
	const webhook = webhooks.find(({ is_active }) => flagOf(is_active) !== false);
	if (!webhook) return undefined;
	const { url } = webhook;
	// A URL under another name may be that of another system.
	const isElsewhere = url === undefined && /(?<!\\)"https?:/i.test(JSON.stringify(webhook));
	if (!isEntered(url) && !isElsewhere) return undefined;
	if (typeof url !== 'string') throw new UnreadableField('url', kindOf(url));
	const listed = textsOf(webhook.events);
	const events = listed?.every((event) => EVENT_NAME.test(event)) ? listed : undefined;
	// The service refuses 0.
	const timeoutSeconds = countOf(webhook.timeout_seconds ?? DEFAULT_TIMEOUT_SECONDS) || undefined;
	const setAt = webhook.updated_at ?? webhook.created_at;
	const since = secondsOf(setAt);
	return {
		url,
		events: events ?? ALL_EVENTS,
		hasUnknownEvents: events === undefined,
		timeoutSeconds: timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS,
		hasUnknownTimeout: timeoutSeconds === undefined,
		since: since === undefined ? undefined : new Date(since * 1000).toISOString(),
	};
}
