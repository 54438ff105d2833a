import type { Client } from '../../api/client';
import { DELETE_WEBHOOK, SET_WEBHOOK } from '../../api/endpoints';
import { forgetRegisteredSubscribers } from '../delivery/currentSubscribers';
import { noteWebhookUrl } from '../sharing/sharedHubs';
import { areSameUrl } from '../../webhook/url';
import { registrationOf, subscribersIn, withoutQuery } from '../../webhook/sharedUrl';
import { readWebhookState, type WebhookState } from '../../webhook/webhookState';
import {
	areSame,
	haveSameSettings,
	subscriberAt,
	type Registration,
	type Subscribers,
} from '../../webhook/subscribers';

/** How often a change is made again that another n8n has undone at the same moment. */
const MAX_CHANGES = 3;

/** What is registered after a change. */
export interface Change {
	registration: Registration;
	/** Whether it differs from what was registered before. */
	isChanged: boolean;
}

/** What was found out for a change, and the receivers that it gives; undefined to change nothing. */
interface Choice<T> {
	found: T;
	wanted: Subscribers | undefined;
}

/** The service does not keep the query of a webhook URL. */
export class QueryDropped extends Error {}

/** Another program changes the webhook at the same time. */
export class WebhookKeepsChanging extends Error {}

/**
 * Changes the receivers of the account's events. A shared list is read again after the change, because another n8n may
 * have changed it at the same moment.
 *
 * @param choose chooses the new receivers; gets what it found out when the change is made again
 * @param previous what to register instead when no receivers are left that are not on its own list
 * @returns what was found out, and the change; undefined if nothing was changed or nothing is left
 * @throws ApiError if a request fails; TooManySubscribers, QueryDropped or WebhookKeepsChanging if the change cannot be
 *   made; and what `choose` throws
 */
export async function changeSubscribers<T>(
	client: Client,
	{ secret, now, previous }: { secret: string; now: () => number; previous?: Registration },
	choose: (state: WebhookState, before?: T) => Promise<Choice<T>>,
): Promise<{ found: T; change?: Change }> {
	let before: T | undefined;
	for (let changes = 1; changes <= MAX_CHANGES; changes++) {
		const state = await readWebhookState(client, secret, now());
		const { found, wanted } = await choose(state, before);
		before = found;
		if (!wanted) return { found };
		if (previous && areIn(previous, wanted, secret)) {
			await setWebhook(client, previous, state.registered);
			return { found };
		}
		if (wanted.length === 0) {
			if (state.registered) await client.call({ endpoint: DELETE_WEBHOOK });
			return { found };
		}
		const registration = registrationOf(wanted, secret);
		const isChanged = await setWebhook(client, registration, state.registered);
		const change = { registration, isChanged };
		if (!isChanged || !registration.url.includes('?')) return { found, change };
		const after = await readWebhookState(client, secret, now());
		if (after.isSigned && areSame(after.subscribers, wanted)) return { found, change };
		if (after.registered && areSameUrl(after.registered.url, withoutQuery(registration.url))) {
			if (state.registered) await setWebhook(client, state.registered);
			else await client.call({ endpoint: DELETE_WEBHOOK });
			throw new QueryDropped();
		}
	}
	throw new WebhookKeepsChanging();
}

/** Whether all these receivers are on the list of a webhook. */
function areIn({ url }: Registration, subscribers: Subscribers, secret: string): boolean {
	const listed = subscribersIn(url, secret)?.subscribers ?? [];
	return subscribers.every((each) => subscriberAt(listed, each.url));
}

/**
 * Sets the account's webhook. Sends nothing if the current webhook is already the same.
 *
 * @returns whether it was sent
 * @throws ApiError if the request fails
 */
export async function setWebhook(
	client: Client,
	registration: Registration,
	current?: Registration,
): Promise<boolean> {
	const { url, events, timeoutSeconds } = registration;
	noteWebhookUrl(url);
	if (current && areSameUrl(current.url, url) && haveSameSettings(current, registration)) return false;
	const parameters = { url, events: [...events], timeoutSeconds };
	// A response that was lost may have changed it, too.
	await client.call({ endpoint: SET_WEBHOOK, parameters }).finally(forgetRegisteredSubscribers);
	return true;
}
