import type { ITriggerFunctions } from 'n8n-workflow';

import { NO_RETRIES } from '../../api/apiRequest';
import { withLimits, type Client } from '../../api/client';
import { connect, CREDENTIAL } from '../../n8n/connect';
import { signingSecretIn } from '../delivery/secretCache';
import { registrationOf } from '../../webhook/sharedUrl';
import {
	subscriberAt,
	withoutSubscriber,
	withSubscriber,
	type Subscriber,
	type Subscribers,
} from '../../webhook/subscribers';
import { WebhookTaken } from './activationErrors';
import { othersToJoin } from './joining';
import { areOfOneN8n, hasPathOfN8n, isOfOwnTrigger } from '../../webhook/triggerUrl';
import { areSameUrl } from '../../webhook/url';
import type { WebhookState } from '../../webhook/webhookState';
import {
	desiredSubscriptionOf,
	isDeactivated,
	runSerialized,
	subscribe,
	type Activation,
} from './subscription';

/** What the checks before a repair have shown. */
export interface CheckResults {
	/** The webhook as a trigger of the account has last read it, if one has; rejects if that failed. */
	latestState: () => Promise<WebhookState | undefined>;
	/** Whether nothing is there any more at the URL of a subscriber. */
	isGone: (subscriber: Subscriber) => boolean;
	/** Whether a hub has not responded for long. */
	isSilent: (hub: Subscriber) => boolean;
}

/**
 * Repairs the subscription of a published trigger, if it is not as it should be: somebody else changed the webhook, the hub
 * is gone, or n8n could not remove a trigger. Another system's webhook is changed only with 'Share'.
 *
 * @param url the URL of the trigger
 * @returns whether the webhook was changed
 * @throws NodeApiError if a request fails; NodeOperationError if the trigger cannot join, without a request to the service
 */
export async function repair(
	context: ITriggerFunctions,
	url: string,
	checks: CheckResults,
): Promise<boolean> {
	return await runSerialized(context, async () => {
		const credential = await context.getCredentials(CREDENTIAL);
		const secret = signingSecretIn(credential);
		if (secret === '') return false;
		const client = await connectWithoutRetries(context);
		const desired = desiredSubscriptionOf(context, url, false, credential);
		const activation: Activation = { ...desired, context, client, secret };
		const { subscriber } = activation;

		const known = await checks.latestState();
		const expected = known && (await othersAfterRepair(activation, known, checks));
		// Throws if the URL would be too long, before the first request.
		if (expected) registrationOf(withSubscriber(expected, subscriber), secret);
		const { change } = await subscribe(activation, async (state) => ({
			others: await othersAfterRepair(activation, state, checks),
		}));
		return change?.isChanged === true;
	});
}

/** The subscribers besides the trigger, which may be among them; undefined to change nothing. */
async function othersAfterRepair(
	activation: Activation,
	state: WebhookState,
	{ isGone, isSilent }: CheckResults,
): Promise<Subscribers | undefined> {
	const { subscriber, ifWebhookExists } = activation;
	const { url } = subscriber;
	if (isDeactivated(url)) return undefined;
	// Without a list, a URL elsewhere belongs to another system, whatever it responds to a trigger.
	const mayBeGone = (each: Subscriber) =>
		!areSameUrl(each.url, url) && (state.isList || isOfOwnTrigger(each.url, url));
	const subscribers = state.subscribers.filter((each) => !(mayBeGone(each) && isGone(each)));
	const isListed = subscriberAt(subscribers, url) !== undefined;
	const [hub] = subscribers;
	// Without a hub that responds, nobody gets events. It stays on the list, because it may come back.
	if (hub && isSilent(hub) && (isListed || ifWebhookExists === 'share')) {
		const others = withoutSubscriber(subscribers, url);
		const mayBeOther = !state.isSigned && !areOfOneN8n(hub.url, url) && !hasPathOfN8n(hub.url);
		return [subscriber, ...(mayBeOther ? withSubscriber(others, { ...hub, kind: 'external' }) : others)];
	}
	if (isListed) return subscribers;
	const { others, replaced } = await othersToJoin(activation, { ...state, subscribers });
	// Of several n8n with 'Replace', the current one keeps the webhook.
	if (replaced) throw new WebhookTaken(replaced, ifWebhookExists);
	return others;
}

/** A client that sends each request once. The next check replaces a retry. */
export async function connectWithoutRetries(context: ITriggerFunctions): Promise<Client> {
	return withLimits(await connect(context), NO_RETRIES);
}
