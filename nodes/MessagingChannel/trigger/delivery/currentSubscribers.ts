import { readRegisteredWebhook } from '../../webhook/registeredWebhook';
import { readSubscribers, subscribersIn } from '../../webhook/sharedUrl';
import type { Subscribers } from '../../webhook/subscribers';
import { areSameUrl } from '../../webhook/url';
import type { Account } from '../account/account';
import { clock } from '../account/clock';
import type { Door } from './door';
import { within } from './within';

/** How long a delivery waits for the list that the service has. */
const LIST_TIMEOUT_MS = 10_000;

/** The list that the service has is not the one to use, or may be an older one. */
class UnknownSubscribers extends Error {}

/**
 * The list in the URL that was called, if it is signed. After a change of the secret, or if the URL has lost it, the list that the
 * service has.
 *
 * @throws UnknownSubscribers if the list that the service has does not count; ApiError if it cannot be read; Error if that
 *   takes too long
 */
export async function currentSubscribers(door: Door, account: Account, secret: string): Promise<Subscribers> {
	const list = readSubscribers(door.ownUrl, door.query.subscribers, secret);
	if (list?.isSigned) return list.subscribers;
	// n8n waits minutes for a service that does not respond, and so would the delivery.
	return await within(LIST_TIMEOUT_MS, registeredSubscribers(door, account, secret));
}

async function registeredSubscribers(
	{ query, connect, isTest, ownUrl }: Door,
	account: Account,
	secret: string,
): Promise<Subscribers> {
	const read = async () => await readRegisteredWebhook(await connect());
	const found = await account.webhook.forList(query.subscribers, read, clock.elapsed());
	// The list that was delivered is forged, or newer than what was read.
	if (!found) throw new UnknownSubscribers();
	const { webhook } = found;
	const list = webhook && subscribersIn(webhook.url, secret)?.subscribers;
	const named = list ?? (webhook ? [webhook] : []);
	// Another system has the webhook by now, and nobody knows who was on the list. A test is not named by the URL of production.
	if (!isTest && !named.some(({ url }) => areSameUrl(url, ownUrl))) throw new UnknownSubscribers();
	return list ?? [];
}
