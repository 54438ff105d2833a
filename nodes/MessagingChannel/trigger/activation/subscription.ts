import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { normalizeBaseUrl } from '../../api/baseUrl';
import { answerTagFor } from '../answers/answerTagFor';
import { selectedEvents } from '../delivery/filter';
import { numberOf, timeoutSeconds } from '../delivery/options';
import type { StartedTrigger, Trigger } from '../delivery/trigger';
import { serviceAt } from '../account/account';
import { atEnd, type IfWebhookExists } from '../account/decisions';
import { ownTriggerAt } from '../account/ownTriggers';
import { clock } from '../account/clock';
import {
	subscriberAt,
	withoutSubscriber,
	withSubscriber,
	type Subscriber,
	type Subscribers,
} from '../../webhook/subscribers';
import { activationErrorOf } from './activationErrors';
import { changeSubscribers, type Change, type WebhookAccess } from './registration';
import { subscribersIn } from '../../webhook/sharedUrl';
import type { WebhookState } from '../../webhook/webhookState';

/** n8n ends a test after two minutes, or ten if its caller wants so. */
const TEST_LIFETIME_MS = 10 * 60_000;

/** What a trigger asks for. */
export interface DesiredSubscription {
	subscriber: Subscriber;
	ifWebhookExists: IfWebhookExists;
}

/** A trigger with its connection to the service. */
export interface Activation extends DesiredSubscription, WebhookAccess {
	trigger: StartedTrigger;
}

/** The published trigger as a subscriber. */
export function desiredSubscriberOf(
	{ parameters }: Pick<Trigger, 'parameters'>,
	url: string,
	credential: ICredentialDataDecryptedObject,
): Subscriber {
	return {
		url,
		kind: 'workflow',
		events: selectedEvents(parameters),
		timeoutSeconds: numberOf(parameters, timeoutSeconds),
		answerTag: answerTagFor(parameters, credential),
	};
}

/** What a published trigger, or a test of it, asks for. */
export function desiredSubscriptionOf(
	trigger: Pick<Trigger, 'parameters'>,
	url: string,
	isForTest: boolean,
	credential: ICredentialDataDecryptedObject,
): DesiredSubscription {
	const subscriber = desiredSubscriberOf(trigger, url, credential);
	const chosen = trigger.parameters.getNodeParameter('options.ifWebhookExists', 'fail');
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
export async function runSerialized<T>(trigger: StartedTrigger, work: () => Promise<T>): Promise<T> {
	try {
		// Several credentials can belong to one account, so the key is the service.
		const service = normalizeBaseUrl((await trigger.credential()).baseUrl);
		return await serviceAt(service).inSeries(work);
	} catch (error) {
		throw activationErrorOf(trigger, error);
	}
}

/**
 * Adds the trigger to the subscribers of the account.
 *
 * @param find finds the other subscribers to keep, or undefined to change nothing
 * @returns what was found, and the change if there was one
 * @throws as `changeSubscribers`, and what `find` throws
 */
export async function subscribe<T extends { others: Subscribers | undefined }>(
	activation: Activation,
	find: (state: WebhookState) => Promise<T>,
): Promise<{ found: T; change?: Change }> {
	return await changeSubscribers(activation, async (state) => {
		const found = await find(state);
		return { found, wanted: found.others && withSubscriber(found.others, activation.subscriber) };
	});
}

/**
 * Removes the trigger from the subscribers of the account. A webhook that its activation replaced comes back.
 *
 * @throws as `changeSubscribers`
 */
export async function unsubscribe(access: WebhookAccess, url: string): Promise<void> {
	const own = ownTriggerAt(url);
	const { replaced } = own;
	const before = (replaced && subscribersIn(replaced.url, access.secret)?.subscribers) ?? [];
	await changeSubscribers(access, async ({ subscribers }) => {
		const others = withoutSubscriber(subscribers, url);
		const action = atEnd({
			isListed: subscriberAt(subscribers, url) !== undefined,
			canRestore: replaced !== undefined && others.every((each) => subscriberAt(before, each.url)),
		});
		const changes = {
			leave: {},
			restore: { restored: replaced },
			removeItself: { wanted: others },
		};
		return await Promise.resolve({ found: undefined, ...changes[action] });
	});
	delete own.replaced;
}
