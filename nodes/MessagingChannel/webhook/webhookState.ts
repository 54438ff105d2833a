import type { Client } from '../api/client';
import { readRegisteredWebhook, type RegisteredWebhook } from './registeredWebhook';
import { subscribersIn } from './sharedUrl';
import { withoutExpired, type Subscriber, type Subscribers } from './subscribers';

/** The account's webhook. */
export interface WebhookState {
	/** The webhook as the service has it; undefined if there is none. */
	registered?: RegisteredWebhook;
	/** Its receivers. One that is not in a list counts as a workflow if its URL may be that of a trigger of this package. */
	subscribers: Subscribers;
	/** Whether the list is signed with the secret of this trigger. */
	isSigned: boolean;
}

/**
 * Reads the account's webhook (API spec, "Webhooks").
 *
 * @param secret the signing secret of the trigger
 * @param now Unix time in milliseconds
 * @param ownUrl the URL of the trigger
 * @throws ApiError if the request fails
 */
export async function readWebhookState(
	client: Client,
	secret: string,
	now: number,
	ownUrl: string,
): Promise<WebhookState> {
	const registered = await readRegisteredWebhook(client);
	if (!registered) return { subscribers: [], isSigned: false };
	const list = subscribersIn(registered.url, secret);
	if (list) return { registered, ...list, subscribers: withoutExpired(list.subscribers, now) };
	const { events, timeoutSeconds } = registered;
	// While the secret of a trigger is checked, its URL has a query.
	const url = registered.url.replace(/\?check=\d{13}-[\da-f-]{36}$/, '');
	const kind = mayBeTrigger(url, ownUrl) ? 'workflow' : 'external';
	return { registered, subscribers: [{ url, kind, events, timeoutSeconds }], isSigned: false };
}

/** n8n's path of all webhooks, the ID of the node and its own path. */
const TRIGGER_URL = /^https?:\/\/[^?#]+\/webhook(-test)?\/[^?#]+\/webhook$/;

/** The same where an administrator has given the first of them another name. */
const RENAMED_TRIGGER_URL = /^https?:\/\/[^?#]+\/[^/?#]+\/[^/?#]+\/webhook$/;

function mayBeTrigger(url: string, ownUrl: string): boolean {
	return TRIGGER_URL.test(url) || (areOfOneN8n(url, ownUrl) && RENAMED_TRIGGER_URL.test(url));
}

/** Whether two URLs belong to the same n8n. */
export function areOfOneN8n(one: string, other: string): boolean {
	return URL.canParse(one) && URL.canParse(other) && baseOf(one) === baseOf(other);
}

/** One host can have several n8n, each below a path of its own. */
function baseOf(webhookUrl: string): string {
	const { origin, pathname } = new URL(webhookUrl);
	// An administrator can give the path of all webhooks another name.
	const [path = '', ...rest] = pathname.split(/\/webhook(?:-test)?\//);
	return `${origin} ${rest.length === 0 ? 'renamed' : path}`;
}

/** The subscriber with a URL. */
export function subscriberAt(subscribers: Subscribers, url: string): Subscriber | undefined {
	return subscribers.find((subscriber) => subscriber.url === url);
}
