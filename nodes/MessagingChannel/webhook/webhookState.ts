import type { Client } from '../api/client';
import { withoutCheck } from './checkUrl';
import { readRegisteredWebhook, type RegisteredWebhook } from './registeredWebhook';
import { subscribersIn } from './sharedUrl';
import { withoutExpired, type Subscriber, type Subscribers } from './subscribers';

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
	const registered = await readRegisteredWebhook(client);
	if (!registered) return { subscribers: [], isList: false, isSigned: false };
	const list = subscribersIn(registered.url, secret);
	if (list) return { registered, isList: true, ...list, subscribers: withoutExpired(list.subscribers, now) };
	const { events, timeoutSeconds } = registered;
	const url = withoutCheck(registered.url);
	const kind = mayBeTrigger(url) ? 'workflow' : 'external';
	return { registered, subscribers: [{ url, kind, events, timeoutSeconds }], isList: false, isSigned: false };
}

/** The URLs of all triggers of this package end like this: the path of all webhooks of n8n, the ID of the node, and its path. */
function mayBeTrigger(url: string): boolean {
	return /^https?:\/\/[^?#]+\/[^/?#]+\/[^/?#]+\/webhook$/.test(url);
}

/** Whether the path of all webhooks in a URL is that of n8n, to which an administrator can give another name. */
export function hasPathOfN8n(url: string): boolean {
	return /^https?:\/\/[^?#]+\/webhook(-test)?\/[^?#]+$/.test(url);
}

/** Whether two URLs belong to the same n8n. */
export function areOfOneN8n(one: string, other: string): boolean {
	return URL.canParse(one) && URL.canParse(other) && baseOf(one) === baseOf(other);
}

/** Whether a URL that may be a trigger's is one of this n8n, and not of another system on the same host. */
export function isOfOwnTrigger(url: string, ownUrl: string): boolean {
	return areOfOneN8n(url, ownUrl) && (hasPathOfN8n(url) || !hasPathOfN8n(ownUrl));
}

/** One host can have several n8n, each below a path of its own. */
function baseOf(webhookUrl: string): string {
	const { origin, pathname } = new URL(webhookUrl);
	// An administrator can give the path of all webhooks another name.
	const [path = '', ...rest] = pathname.split(/\/webhook(?:-test)?\//);
	return rest.length === 0 ? origin : `${origin}${path}`;
}

/** The subscriber with a URL. */
export function subscriberAt(subscribers: Subscribers, url: string): Subscriber | undefined {
	return subscribers.find((subscriber) => subscriber.url === url);
}
