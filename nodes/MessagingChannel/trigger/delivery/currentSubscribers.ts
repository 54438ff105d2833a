import type { ICredentialDataDecryptedObject, IWebhookFunctions } from 'n8n-workflow';

import { accountDigestIn } from '../../api/authentication';
import { isRecent } from '../../api/clock';
import { connect, CREDENTIAL } from '../../n8n/connect';
import { readRegisteredWebhook, type RegisteredWebhook } from '../../webhook/registeredWebhook';
import { readSubscribers, subscribersIn, SUBSCRIBERS_PARAMETER } from '../../webhook/sharedUrl';
import { areSameUrl } from '../../webhook/url';
import type { Subscribers } from '../../webhook/subscribers';
import { clock } from './state';
import { within } from './within';

/** How long the list that the service has is used, if the URL has none that this secret signed. */
const REGISTERED_TTL_MS = 60_000;

/** How long a delivery waits for that list. */
const LIST_TIMEOUT_MS = 10_000;

/** The list that the service has is not the one to use, or may be an older one. */
class UnknownSubscribers extends Error {}

/** The webhooks that the service has, by account. */
const cachedWebhooks = new Map<
	string,
	{ at: number; secret: string; webhook: Promise<RegisteredWebhook | undefined> }
>();

/** Forgets the lists, because the webhook was changed: a new receiver must get the next event. */
export function forgetRegisteredSubscribers(): void {
	cachedWebhooks.clear();
}

/**
 * The list in the URL if it is signed. After a change of the secret, or if the URL has lost it, the list that the service
 * has.
 *
 * @param value the list that was delivered
 * @throws UnknownSubscribers if the list that the service has does not count; ApiError if it cannot be read; Error if that
 *   takes too long
 */
export async function currentSubscribers(
	context: IWebhookFunctions,
	ownUrl: string,
	value: unknown,
	secret: string,
): Promise<Subscribers> {
	const list = readSubscribers(ownUrl, value, secret);
	if (list?.isSigned) return list.subscribers;
	// n8n waits minutes for a service that does not respond, and so would the delivery.
	return await within(LIST_TIMEOUT_MS, registeredSubscribers(context, ownUrl, value, secret));
}

async function registeredSubscribers(
	context: IWebhookFunctions,
	ownUrl: string,
	value: unknown,
	secret: string,
): Promise<Subscribers> {
	const webhook = await cachedWebhook(context, value, secret);
	const list = webhook && subscribersIn(webhook.url, secret)?.subscribers;
	// n8n gives a test the URL of production here.
	const isNamed =
		context.getMode() === 'manual' ||
		[...(list ?? []), ...(webhook && !list ? [webhook] : [])].some(({ url }) => areSameUrl(url, ownUrl));
	// Another system has the webhook by now, and nobody knows who was on the list.
	if (!isNamed) throw new UnknownSubscribers();
	return list ?? [];
}

/**
 * The account's webhook, cached so that a flood of replayed events with a forged list does not use up the rate limit.
 *
 * @param value the list that was delivered
 * @throws UnknownSubscribers if it differs from the cached one: it is forged, or newer
 */
async function cachedWebhook(
	context: IWebhookFunctions,
	value: unknown,
	secret: string,
): Promise<RegisteredWebhook | undefined> {
	const data = await context.getCredentials<ICredentialDataDecryptedObject>(CREDENTIAL);
	const account = accountDigestIn(data);
	const known = cachedWebhooks.get(account);
	if (known?.secret === secret && isRecent(known.at, REGISTERED_TTL_MS, clock.now())) {
		const webhook = await known.webhook;
		const list = webhook && new URL(webhook.url).searchParams.get(SUBSCRIBERS_PARAMETER);
		if (value !== undefined && value !== list) throw new UnknownSubscribers();
		return webhook;
	}
	const webhook = connect(context).then(readRegisteredWebhook);
	cachedWebhooks.set(account, { at: clock.now(), secret, webhook });
	webhook.catch(() => cachedWebhooks.delete(account));
	return await webhook;
}
