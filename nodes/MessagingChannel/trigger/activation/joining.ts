import { areOfOneN8n, hasPathOfN8n, isOfOwnTrigger } from '../../webhook/triggerUrl';
import { areSameUrl } from '../../webhook/url';
import {
	subscriberAt,
	withoutSubscriber,
	withSubscriber,
	type Registration,
	type Subscriber,
	type Subscribers,
} from '../../webhook/subscribers';
import type { WebhookState } from '../../webhook/webhookState';
import { afterProbe, atPublication, atStartup, withForeignWebhook } from '../account/decisions';
import { ownTriggerAt } from '../account/ownTriggers';
import { clock } from '../account/clock';
import { CannotJoin, WebhookTaken } from './activationErrors';
import { isOfInstance, probe } from './probe';
import type { Activation } from './subscription';

/** The subscribers that a trigger is to join. */
export interface Others {
	others: Subscribers;
	/** Whether one of them has shown that it can reach the trigger, and that both have the secret of the service. */
	isProven?: boolean;
	/** The webhook that the trigger replaces. */
	replaced?: Registration;
}

/**
 * Decides whom a new trigger joins. Other workflows of this n8n always share the webhook. What to do with another system,
 * or another n8n, is the user's choice.
 *
 * @throws WebhookTaken or CannotJoin
 */
export async function othersToJoin(activation: Activation, state: WebhookState): Promise<Others> {
	const { trigger, secret, subscriber, ifWebhookExists: choice } = activation;
	const { registered, isList, isSigned } = state;
	const { now, sleep } = clock;
	const options = { request: trigger.request, secret, now, sleep };
	const isTest = subscriber.kind === 'test';
	const isTrusted =
		isSigned || (registered !== undefined && isList && areOfOneN8n(registered.url, subscriber.url));
	let others = withoutSubscriber(state.subscribers, subscriber.url);
	for (;;) {
		const hub = others.find(({ kind }) => kind === 'workflow');
		const isOwn =
			hub !== undefined &&
			(areOfOneN8n(hub.url, subscriber.url) ||
				// The URLs of tests can have another base than those of published workflows.
				(isTest && (await isOfInstance(hub.url, trigger.instanceId(), options))));
		const action = atPublication({
			choice,
			hub: hub ? (isOwn ? 'own' : 'foreign') : 'none',
			hasSiblings: others.some((other) => isSibling(other, subscriber)),
			hasOtherSystem: others.some(({ kind }) => kind === 'external'),
			isTrusted,
			isSigned,
			isTest,
		});
		if (action === 'foreign') return withForeign(activation, registered, others);
		if (action === 'join' || !hub) return { others };
		const result = await probe(hub.url, subscriber.url, options);
		const after = afterProbe(result, {
			isOwn: isOfOwnTrigger(hub.url, subscriber.url),
			isList,
			isSigned,
			looksLikeN8n: hasPathOfN8n(hub.url),
		});
		if (after === 'join') return { others, isProven: result === 'reached' };
		if (after === 'refuse') {
			const reason = result === 'unreachable' || result === 'otherSecret' ? result : 'noResponse';
			throw new CannotJoin(reason, hub.url, subscriber.url);
		}
		others =
			after === 'leaveOutHub'
				? withoutSubscriber(others, hub.url)
				: withSubscriber(others, { ...hub, kind: 'external' });
	}
}

/** @throws WebhookTaken if the user wants it left alone */
function withForeign(
	{ subscriber, ifWebhookExists }: Activation,
	registered: WebhookState['registered'],
	others: Subscribers,
): Others {
	const action = withForeignWebhook(ifWebhookExists);
	if (!registered || action === 'share') return { others };
	if (action === 'refuse') throw new WebhookTaken(registered, ifWebhookExists);
	return { others: others.filter((other) => isSibling(other, subscriber)), replaced: registered };
}

/** Whether two subscribers are triggers of one n8n. */
function isSibling(one: Subscriber, other: Subscriber): boolean {
	return one.kind !== 'external' && isOfOwnTrigger(one.url, other.url);
}

/**
 * The subscribers to join at startup; undefined to change nothing now.
 *
 * @throws WebhookTaken
 */
export function othersAtStartup(
	{ subscriber, ifWebhookExists: choice }: Activation,
	{ registered, subscribers, isSigned }: WebhookState,
): Subscribers | undefined {
	const [hub] = subscribers;
	// Not with a list, or a check of the secret, in the registered URL.
	const isAlone = registered !== undefined && hub !== undefined && areSameUrl(registered.url, hub.url);
	const action = atStartup({
		choice,
		hubKind: registered && hub?.kind,
		isListed: subscriberAt(subscribers, subscriber.url) !== undefined,
		hasSiblings: subscribers.some((other) => isSibling(other, subscriber)),
		isSigned,
		hasJustStarted: isAlone && ownTriggerAt(hub.url).isActive === true,
	});
	if (action === 'refuse' && registered) throw new WebhookTaken(registered, choice);
	return action === 'join' ? subscribers : undefined;
}
