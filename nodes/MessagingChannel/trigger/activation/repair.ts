import { NO_RETRIES } from '../../api/apiRequest';
import { withLimits, type Client } from '../../api/client';
import { registrationOf } from '../../webhook/sharedUrl';
import {
	subscriberAt,
	withoutSubscriber,
	withSubscriber,
	type Subscriber,
	type Subscribers,
} from '../../webhook/subscribers';
import { areOfOneN8n, hasPathOfN8n, isOfOwnTrigger } from '../../webhook/triggerUrl';
import { areSameUrl } from '../../webhook/url';
import { webhookStateOf, type WebhookState } from '../../webhook/webhookState';
import { accountIn, type Account } from '../account/account';
import { atRepair } from '../account/decisions';
import { ownTriggerAt } from '../account/ownTriggers';
import { clock } from '../account/clock';
import { signingSecretIn } from '../delivery/secrets';
import type { StartedTrigger } from '../delivery/trigger';
import { WebhookTaken } from './activationErrors';
import { othersToJoin } from './joining';
import { desiredSubscriptionOf, runSerialized, subscribe, type Activation } from './subscription';

/**
 * Repairs the subscription of a published trigger, if it is not as it should be: somebody else changed the webhook, the hub
 * is gone, or n8n could not remove a trigger. Another system's webhook is changed only with 'Share'.
 *
 * @returns whether the webhook was changed
 * @throws NodeApiError if a request fails; NodeOperationError if the trigger cannot join, without a request to the service
 */
export async function repair(trigger: StartedTrigger, url: string): Promise<boolean> {
	return await runSerialized(trigger, async () => {
		const credential = await trigger.credential();
		const secret = signingSecretIn(credential);
		const account = accountIn(credential);
		const client = await connectWithoutRetries(trigger);
		const desired = desiredSubscriptionOf(trigger, url, false, credential);
		const activation: Activation = { ...desired, trigger, client, account, secret };

		const known = account.webhook.latest();
		const state = known && webhookStateOf(await known, secret, clock.now());
		const expected = state && (await othersAfterRepair(activation, state));
		// Throws if the URL would be too long, before the first request.
		if (expected) registrationOf(withSubscriber(expected, activation.subscriber), secret);
		const { change } = await subscribe(activation, async (current) => ({
			others: await othersAfterRepair(activation, current),
		}));
		return change?.isChanged === true;
	});
}

/** The subscribers besides the trigger, which may be among them; undefined to change nothing. */
async function othersAfterRepair(
	activation: Activation,
	state: WebhookState,
): Promise<Subscribers | undefined> {
	const { account, subscriber, ifWebhookExists: choice } = activation;
	const { url } = subscriber;
	// Without a list, a URL elsewhere belongs to another system, whatever it responds to a trigger.
	const mayBeGone = (each: Subscriber) =>
		!areSameUrl(each.url, url) && (state.isList || isOfOwnTrigger(each.url, url));
	const subscribers = state.subscribers.filter((each) => !(mayBeGone(each) && isGone(account, each, url)));
	const [hub] = subscribers;
	const action = atRepair({
		choice,
		isEnded: ownTriggerAt(url).isActive === false,
		isListed: subscriberAt(subscribers, url) !== undefined,
		isHubSilent: hub !== undefined && account.receiver(hub).isSilent(),
	});
	if (action === 'giveUp') return undefined;
	if (action === 'keepList') return subscribers;
	if (action === 'becomeHub' && hub) {
		// The hub stays on the list, because it may come back.
		const others = withoutSubscriber(subscribers, url);
		const mayBeOther = !state.isSigned && !areOfOneN8n(hub.url, url) && !hasPathOfN8n(hub.url);
		return [subscriber, ...(mayBeOther ? withSubscriber(others, { ...hub, kind: 'external' }) : others)];
	}
	const { others, replaced } = await othersToJoin(activation, { ...state, subscribers });
	// Of several n8n with 'Replace', the current one keeps the webhook.
	if (replaced) throw new WebhookTaken(replaced, choice);
	return others;
}

/** Whether nothing is there any more at the URL of a subscriber. */
export function isGone(account: Account, other: Subscriber, ownUrl: string): boolean {
	return account.receiver(other).isGone(areOfOneN8n(other.url, ownUrl));
}

/** A client that sends each request once. The next check replaces a retry. */
export async function connectWithoutRetries({ connect }: StartedTrigger): Promise<Client> {
	return withLimits(await connect(), NO_RETRIES);
}
