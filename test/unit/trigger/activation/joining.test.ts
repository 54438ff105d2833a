import { othersAtStartup, othersToJoin } from '../../../../nodes/MessagingChannel/trigger/activation/joining';
import {
	WebhookTaken,
	type IfWebhookExists,
} from '../../../../nodes/MessagingChannel/trigger/activation/activationErrors';
import {
	noteActivated,
	type Activation,
} from '../../../../nodes/MessagingChannel/trigger/activation/subscription';
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
const unknown = subscriberAt('https://n8n.example/webhook/4/webhook');
const foreign = subscriberAt('https://other.example/webhook/3/webhook');
const external = subscriberAt('https://crm.example/events', 'external');

const stateOf = (isSigned: boolean, subscribers: Subscriber[], url = subscribers[0]?.url ?? '') =>
	({
		registered: { ...subscriber, url },
		subscribers,
		isList: subscribers.length > 1,
		isSigned,
	}) satisfies WebhookState;
const atStartup = (state: WebhookState, ifWebhookExists: IfWebhookExists = 'share') =>
	othersAtStartup({ subscriber, ifWebhookExists } as Activation, state);

describe('when n8n starts, a trigger that is not on the list', () => {
	test.each<[string, WebhookState]>([
		['workflows that signed the list with its secret', stateOf(true, [foreign, sibling])],
		['another system alone', stateOf(false, [external])],
		['the first workflow of its n8n to start', stateOf(false, [sibling])],
	])('joins %s at once', (_, state) => {
		noteActivated(sibling.url);
		expect(atStartup(state)).toEqual(state.subscribers);
	});

	test.each<[string, WebhookState]>([
		['another n8n', stateOf(false, [foreign])],
		['what is at a URL of its n8n, and did not start with it', stateOf(false, [unknown])],
		['workflows whose list has another secret', stateOf(false, [sibling, foreign], `${sibling.url}?list`)],
	])('leaves it to the repair to ask %s', (_, state) => {
		expect(atStartup(state)).toBeUndefined();
	});
});

describe("when n8n starts, a trigger without 'Share'", () => {
	test.each<[string, WebhookState]>([
		['is on the list, whoever receives the events', stateOf(false, [foreign, subscriber])],
		['finds another workflow of its n8n on the list', stateOf(true, [foreign, sibling])],
		['finds no webhook', { subscribers: [], isList: false, isSigned: false }],
		['finds only tests that have ended', stateOf(true, [], sibling.url)],
	])('joins if it %s', (_, state) => {
		expect(atStartup(state, 'fail')).toEqual(state.subscribers);
	});

	test.each<[string, WebhookState]>([
		['another system', stateOf(false, [external])],
		['another n8n', stateOf(false, [foreign])],
		[
			'another kind of trigger of its n8n',
			stateOf(false, [subscriberAt('https://n8n.example/webhook/x', 'external')]),
		],
	])('leaves the webhook to %s', (_, state) => {
		for (const ifWebhookExists of ['fail', 'replace'] as const)
			expect(() => atStartup(state, ifWebhookExists)).toThrow(WebhookTaken);
	});
});

describe('a trigger that is published or tested', () => {
	const request = jest.fn(async () => await Promise.reject(new Error('There was no response')));
	const join = async (
		joining: Subscriber,
		state: WebhookState,
		ifWebhookExists: IfWebhookExists = 'fail',
	) => {
		const context = { helpers: { httpRequest: request } };
		const activation = { context, secret: 'secret', subscriber: joining, ifWebhookExists };
		return await othersToJoin(activation as unknown as Activation, state);
	};

	test('joins tests alone, whatever secret another n8n has signed their list with', async () => {
		const tests = [foreign, sibling].map((each): Subscriber => ({ ...each, kind: 'test' }));

		expect(await join(subscriber, stateOf(false, tests, `${foreign.url}?list`))).toEqual({ others: tests });
	});

	test('is not called by the workflow that receives the events if it is a test and the list has its secret', async () => {
		const tested: Subscriber = { ...subscriber, kind: 'test' };
		const workflows = [sibling, foreign];

		expect(await join(tested, stateOf(true, workflows))).toEqual({ others: workflows });
		await expect(join(tested, stateOf(false, workflows), 'share')).rejects.toThrow('noResponse');
		await expect(join(subscriber, stateOf(true, workflows))).rejects.toThrow('noResponse');

		expect(request).toHaveBeenCalledTimes(2);
	});
});
