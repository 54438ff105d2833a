import { othersAtStartup } from '../../../../nodes/MessagingChannel/trigger/activation/joining';
import type { Activation } from '../../../../nodes/MessagingChannel/trigger/activation/subscription';
import type { Subscriber } from '../../../../nodes/MessagingChannel/webhook/subscribers';
import type { WebhookState } from '../../../../nodes/MessagingChannel/webhook/webhookState';

const subscriberAt = (url: string, kind: Subscriber['kind'] = 'workflow'): Subscriber => ({
	url,
	kind,
	events: ['message.received'],
	timeoutSeconds: 30,
});
const subscriber = subscriberAt('https://n8n.example/webhook/1/webhook');
const sibling = subscriberAt('https://n8n.example/webhook/2/webhook');
const foreign = subscriberAt('https://other.example/webhook/3/webhook');
const external = subscriberAt('https://crm.example/events', 'external');

const stateOf = (isSigned: boolean, subscribers: Subscriber[], url = subscribers[0]?.url ?? '') =>
	({
		registered: { ...subscriber, url },
		subscribers,
		isList: subscribers.length > 1,
		isSigned,
	}) satisfies WebhookState;
const atStartup = (state: WebhookState) =>
	othersAtStartup({ subscriber, ifWebhookExists: 'share' } as Activation, state);

describe('when n8n starts, a trigger that is not on the list', () => {
	test.each<[string, WebhookState]>([
		['workflows that signed the list with its secret', stateOf(true, [foreign, sibling])],
		['another system alone', stateOf(false, [external])],
		['the first workflow of its n8n to start', stateOf(false, [sibling])],
	])('joins %s at once', (_, state) => {
		expect(atStartup(state)).toEqual(state.subscribers);
	});

	test.each<[string, WebhookState]>([
		['another n8n', stateOf(false, [foreign])],
		['workflows whose list has another secret', stateOf(false, [sibling, foreign], `${sibling.url}?list`)],
	])('leaves it to the repair to ask %s', (_, state) => {
		expect(atStartup(state)).toBeUndefined();
	});
});
