import { clock } from '../delivery/state';
import { httpRequestOf } from '../../n8n/httpRequest';
import {
	subscriberAt,
	withoutSubscriber,
	withSubscriber,
	type Registration,
	type Subscriber,
	type Subscribers,
} from '../../webhook/subscribers';
import { CannotJoin, WebhookTaken } from './activationErrors';
import { isOfInstance, probe } from './probe';
import { areOfOneN8n, hasPathOfN8n, isOfOwnTrigger } from '../../webhook/triggerUrl';
import { areSameUrl } from '../../webhook/url';
import type { WebhookState } from '../../webhook/webhookState';
import { isActivated, type Activation } from './subscription';

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
export async function othersToJoin(
	{ context, secret, subscriber, ifWebhookExists }: Activation,
	state: WebhookState,
): Promise<Others> {
	const { registered, isList, isSigned } = state;
	let others = withoutSubscriber(state.subscribers, subscriber.url);
	const elsewhere = (): Others => {
		if (!registered || ifWebhookExists === 'share') return { others };
		if (ifWebhookExists === 'fail') throw new WebhookTaken(registered, ifWebhookExists);
		const siblings = others.filter((other) => isSibling(other, subscriber));
		return { others: siblings, replaced: registered };
	};
	for (;;) {
		const hub = others.find(({ kind }) => kind === 'workflow');
		if (!hub) {
			const isTrusted = isSigned || (registered && isList && areOfOneN8n(registered.url, subscriber.url));
			return others.some(({ kind }) => kind === 'external') && !isTrusted ? elsewhere() : { others };
		}
		const isShared = ifWebhookExists === 'fail' && others.some((other) => isSibling(other, subscriber));
		const { now, sleep } = clock;
		const options = { request: httpRequestOf(context), secret, now, sleep };
		const isOwn =
			areOfOneN8n(hub.url, subscriber.url) ||
			// The URLs of tests can have another base than those of published workflows.
			(subscriber.kind === 'test' && (await isOfInstance(hub.url, context.getInstanceId(), options)));
		if (!isOwn && !isShared && ifWebhookExists !== 'share') return elsewhere();
		if (subscriber.kind === 'test' && isSigned) return { others };
		const result = await probe(hub.url, subscriber.url, options);
		if (result === 'reached' || result === 'unproven') return { others, isProven: result === 'reached' };
		if (result === 'unreachable' || result === 'otherSecret')
			throw new CannotJoin(result, hub.url, subscriber.url);
		const isOfOwn = isOfOwnTrigger(hub.url, subscriber.url);
		const isAbsent = result === 'absent' || result === 'dead';
		// Only triggers put a list into a URL. Without one, another system may be there, which is down.
		if (isAbsent && (isList || (isOfOwn && result === 'dead'))) others = withoutSubscriber(others, hub.url);
		// It is a trigger all the same: a proxy responds, or an n8n that starts. Another n8n may be down.
		else if ((isOfOwn && !isAbsent) || isSigned || (result === 'noResponse' && hasPathOfN8n(hub.url)))
			throw new CannotJoin('noResponse', hub.url, subscriber.url);
		else others = withSubscriber(others, { ...hub, kind: 'external' });
	}
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
	{ subscriber, ifWebhookExists }: Activation,
	{ registered, subscribers, isSigned }: WebhookState,
): Subscribers | undefined {
	const [hub] = subscribers;
	if (!hub || !registered || subscriberAt(subscribers, subscriber.url)) return subscribers;
	const isElsewhere = !subscribers.some((other) => isSibling(other, subscriber));
	if (isElsewhere && ifWebhookExists !== 'share') throw new WebhookTaken(registered, ifWebhookExists);
	// The first workflow to start registers alone. Joining it cannot wait for the repair: the others would miss events.
	const isAlone = areSameUrl(registered.url, hub.url) && isActivated(hub.url);
	return isSigned || hub.kind === 'external' || isAlone ? subscribers : undefined;
}
