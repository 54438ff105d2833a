import type { Client } from '../../api/client';
import { DELETE_WEBHOOK, SET_WEBHOOK } from '../../api/endpoints';
import { noteWebhookSet, type Account } from '../account/account';
import { clock } from '../account/clock';
import { areSameUrl, isBeginningOf } from '../../webhook/url';
import { registrationOf } from '../../webhook/sharedUrl';
import { readWebhookState, type WebhookState } from '../../webhook/webhookState';
import { areSame, haveSameSettings, type Registration, type Subscribers } from '../../webhook/subscribers';

/** How often a change is made again that another n8n has undone at the same moment. */
const MAX_CHANGES = 3;

/** What is registered after a change. */
export interface Change {
	registration: Registration;
	/** Whether it differs from what was registered before. */
	isChanged: boolean;
}

/** A way to an account's webhook. */
export interface WebhookAccess {
	client: Client;
	account: Account;
	/** The signing secret of the trigger. */
	secret: string;
}

/** What was found out for a change, and what it is: other receivers, a webhook as it was before, or nothing. */
interface Choice<T> {
	found: T;
	wanted?: Subscribers;
	restored?: Registration;
}

/** The service does not keep the whole webhook URL: it drops the query, or cuts off what is too long for it. */
export class QueryDropped extends Error {}

/** Another program changes the webhook at the same time. */
export class WebhookKeepsChanging extends Error {}

/**
 * Changes the receivers of the account's events. A shared list is read again after the change, because another n8n may
 * have changed it at the same moment.
 *
 * @param choose chooses the new receivers
 * @returns what was found out, and the change; undefined if nothing was changed or nothing is left
 * @throws ApiError if a request fails; TooManySubscribers, QueryDropped or WebhookKeepsChanging if the change cannot be
 *   made; and what `choose` throws
 */
export async function changeSubscribers<T>(
	access: WebhookAccess,
	choose: (state: WebhookState) => Promise<Choice<T>>,
): Promise<{ found: T; change?: Change }> {
	const { client, account, secret } = access;
	const remove = async () => {
		noteWebhookSet(account, undefined);
		await client.call({ endpoint: DELETE_WEBHOOK });
	};
	for (let changes = 1; changes <= MAX_CHANGES; changes++) {
		const state = await readWebhookState(client, secret, clock.now());
		const { found, wanted, restored } = await choose(state);
		if (restored) await setWebhook(access, restored, state.registered);
		if (!wanted || restored) return { found };
		if (wanted.length === 0) {
			if (state.registered) await remove();
			return { found };
		}
		const registration = registrationOf(wanted, secret);
		const isChanged = await setWebhook(access, registration, state.registered);
		const change = { registration, isChanged };
		if (!isChanged || !registration.url.includes('?')) return { found, change };
		const after = await readWebhookState(client, secret, clock.now());
		if (after.isSigned && areSame(after.subscribers, wanted)) return { found, change };
		if (after.registered && isBeginningOf(after.registered.url, registration.url)) {
			if (state.registered) await setWebhook(access, state.registered);
			else await remove();
			throw new QueryDropped();
		}
	}
	throw new WebhookKeepsChanging();
}

/**
 * Sets the account's webhook. Sends nothing if the current webhook is already the same.
 *
 * @returns whether it was sent
 * @throws ApiError if the request fails
 */
export async function setWebhook(
	{ client, account }: Omit<WebhookAccess, 'secret'>,
	registration: Registration,
	current?: Registration,
): Promise<boolean> {
	const { url, events, timeoutSeconds } = registration;
	if (current && areSameUrl(current.url, url) && haveSameSettings(current, registration)) {
		// After a start of n8n, this process does not know it yet.
		noteWebhookSet(account, url);
		return false;
	}
	const parameters = { url, events: [...events], timeoutSeconds };
	// A response that was lost may have changed it, too.
	await client.call({ endpoint: SET_WEBHOOK, parameters }).finally(() => noteWebhookSet(account, url));
	return true;
}
