import type { Client } from '../api/client';
import { withoutCheck } from './checkUrl';
import { readRegisteredWebhook, type RegisteredWebhook } from './registeredWebhook';
import { subscribersIn } from './sharedUrl';
import { withoutExpired, type Subscribers } from './subscribers';
import { mayBeTrigger } from './triggerUrl';

/** The account's webhook. */
export interface WebhookState {
	/** The webhook as the service has it; undefined if there is none. */
	registered?: RegisteredWebhook;
	/** Its receivers. One that is not in a list counts as a workflow if its URL may be that of a trigger. */
	subscribers: Subscribers;
	/** Whether its URL holds a list of subscribers, perhaps with an old secret: only triggers put one there. */
	isList: boolean;
	/** Whether the list is signed with the secret of this trigger. */
	isSigned: boolean;
}

/**
 * Reads the account's webhook (API spec, "Webhooks").
 *
 * @param secret the signing secret of the trigger
 * @param now Unix time in milliseconds
 * @throws ApiError if the request fails
 */
export async function readWebhookState(client: Client, secret: string, now: number): Promise<WebhookState> {
	return webhookStateOf(await readRegisteredWebhook(client), secret, now);
}

/** What the webhook says that the service has, if any; see `readWebhookState`. */
export function webhookStateOf(
	registered: RegisteredWebhook | undefined,
	secret: string,
	now: number,
): WebhookState {
	if (!registered) return { subscribers: [], isList: false, isSigned: false };
	const list = subscribersIn(registered.url, secret);
	if (list) return { registered, isList: true, ...list, subscribers: withoutExpired(list.subscribers, now) };
	const { events, timeoutSeconds } = registered;
	const url = withoutCheck(registered.url);
	const kind = mayBeTrigger(url) ? 'workflow' : 'external';
	return { registered, subscribers: [{ url, kind, events, timeoutSeconds }], isList: false, isSigned: false };
}
