import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { Client } from '../../api/client';
import { normalizeBaseUrl } from '../../api/baseUrl';
import { CREDENTIAL } from '../../n8n/connect';
import { createSerialQueues } from '../../n8n/serialQueue';
import { answerTagFor } from '../answers/answerTagFor';
import { selectedEvents } from '../delivery/filter';
import { timeoutSecondsOf } from '../delivery/options';
import { clock } from '../delivery/state';
import {
	subscriberAt,
	withoutSubscriber,
	withSubscriber,
	type Registration,
	type Subscriber,
	type Subscribers,
} from '../../webhook/subscribers';
import { activationErrorOf, type ActivationContext, type IfWebhookExists } from './activationErrors';
import { changeSubscribers, type Change } from './registration';
import { normalUrl } from '../../webhook/url';
import type { WebhookState } from '../../webhook/webhookState';

/** n8n ends a test after two minutes, or ten if its caller wants so. */
const TEST_LIFETIME_MS = 10 * 60_000;

/** What a trigger asks for. */
export interface DesiredSubscription {
	subscriber: Subscriber;
	ifWebhookExists: IfWebhookExists;
}

/** A trigger with its connection to the service. */
export interface Activation extends DesiredSubscription {
	context: ActivationContext;
	client: Client;
	secret: string;
}

/** The webhooks that unfinished or failed activations replaced, by the URL of the trigger. */
const replacedWebhooks = new Map<string, Registration>();

/** Whether the triggers are active that n8n has activated or deactivated in this process, by URL. */
const areActive = new Map<string, boolean>();

/** The pending webhook changes, by the base URL of the service. */
const inSeries = createSerialQueues();

/** Keeps the webhook that an activation is about to replace, so that `unsubscribe` restores it. */
export function keepReplaced(url: string, replaced: Registration): void {
	replacedWebhooks.set(url, replaced);
}

/** Forgets it, because the activation has succeeded. */
export function forgetReplaced(url: string): void {
	replacedWebhooks.delete(url);
}

/** Keeps repairs that began before from adding a trigger that is deactivated. */
export function noteDeactivated(url: string): void {
	areActive.set(normalUrl(url), false);
}

/** Lets repairs add a trigger again. */
export function noteActivated(url: string): void {
	areActive.set(normalUrl(url), true);
}

/** Whether n8n deactivates or has deactivated a trigger. */
export function isDeactivated(url: string): boolean {
	return areActive.get(normalUrl(url)) === false;
}

/** Whether a trigger is active in this process. */
export function isActivated(url: string): boolean {
	return areActive.get(normalUrl(url)) === true;
}

/** The published trigger as a subscriber. */
export function desiredSubscriberOf(
	context: ActivationContext,
	url: string,
	credential: ICredentialDataDecryptedObject,
): Subscriber {
	return {
		url,
		kind: 'workflow',
		events: selectedEvents(context),
		timeoutSeconds: timeoutSecondsOf(context),
		answerTag: answerTagFor(context, credential),
	};
}

/** What a published trigger, or a test of it, asks for. */
export function desiredSubscriptionOf(
	context: ActivationContext,
	url: string,
	isForTest: boolean,
	credential: ICredentialDataDecryptedObject,
): DesiredSubscription {
	const subscriber = desiredSubscriberOf(context, url, credential);
	const chosen = context.getNodeParameter('options.ifWebhookExists', 'fail');
	// An expression can give anything, which must not replace the webhook of another system.
	const ifWebhookExists = chosen === 'replace' || chosen === 'share' ? chosen : 'fail';
	if (!isForTest) return { subscriber, ifWebhookExists };
	const expiresAt = Math.ceil((clock.now() + TEST_LIFETIME_MS) / 1000);
	return {
		// It takes no answers.
		subscriber: { ...subscriber, kind: 'test', expiresAt, answerTag: undefined },
		// A test ends, and the other system must have its webhook back then.
		ifWebhookExists: ifWebhookExists === 'replace' ? 'share' : ifWebhookExists,
	};
}

/**
 * Runs webhook changes one at a time. n8n activates several triggers in parallel, and each must see the changes of the
 * others. Converts all errors for the user.
 */
export async function runSerialized<T>(context: ActivationContext, work: () => Promise<T>): Promise<T> {
	try {
		// Several credentials can belong to one account, so the key is the service.
		const service = normalizeBaseUrl((await context.getCredentials(CREDENTIAL)).baseUrl);
		return await inSeries(service, work);
	} catch (error) {
		throw activationErrorOf(context, error);
	}
}

/**
 * Adds the trigger to the subscribers of the account.
 *
 * @param find finds the other subscribers to keep, or undefined to change nothing; gets what it found before when the change
 *   is made again
 * @returns what was found, and the change if there was one
 * @throws as `changeSubscribers`, and what `find` throws
 */
export async function subscribe<T extends { others: Subscribers | undefined }>(
	{ client, secret, subscriber }: Activation,
	find: (state: WebhookState, before?: T) => Promise<T>,
): Promise<{ found: T; change?: Change }> {
	return await changeSubscribers<T>(client, { secret, now: clock.now }, async (state, before) => {
		const found = await find(state, before);
		return { found, wanted: found.others && withSubscriber(found.others, subscriber) };
	});
}

/**
 * Removes the trigger from the subscribers of the account.
 *
 * @throws as `changeSubscribers`
 */
export async function unsubscribe(client: Client, secret: string, url: string): Promise<void> {
	const previous = replacedWebhooks.get(url);
	await changeSubscribers(
		client,
		{ secret, now: clock.now, previous },
		async ({ subscribers }) =>
			await Promise.resolve({
				found: undefined,
				wanted: subscriberAt(subscribers, url) && withoutSubscriber(subscribers, url),
			}),
	);
	forgetReplaced(url);
}
