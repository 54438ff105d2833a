import { setTimeout as sleep } from 'node:timers/promises';

import type { INodeParameters } from 'n8n-workflow';

import { registrationOf, subscribersIn } from '../../../../nodes/MessagingChannel/webhook/sharedUrl';
import type { Subscriber } from '../../../../nodes/MessagingChannel/webhook/subscribers';
import { useTrigger, type Trigger } from '../../../support/engine/trigger';
import { useTriggerClock } from '../../../support/engine/triggerClock';
import { callerOf, startReceiver, type Receiver } from '../../../support/service/testing';

export const MINUTE = 60_000;

/** What a trigger is created with. */
export interface Publication {
	options?: INodeParameters;
	events?: string[];
	n8nUrl?: string;
}
export const share = { options: { ifWebhookExists: 'share' } };

/** The IDs of the events that a trigger has run. */
export const idsOf = ({ taken }: Trigger) => taken.map(({ json }) => json.event_id);

/** The webhook of another system. */
export const foreignConfig = ({ url }: Receiver) => ({
	url: `${url}?token=1`,
	events: ['message.received', 'message.sent'],
	is_active: true,
	timeout_seconds: 7,
});

/** Triggers that share the account's webhook, with each other and with other systems. */
export function useSharing() {
	const place = useTrigger();
	const api = callerOf(() => place.service);
	const time = useTriggerClock({
		// An event that a receiver did not accept is held against it for a day, and tests use the same IDs and URLs.
		betweenTestsMs: 25 * 60 * MINUTE,
		// What looks after a subscription waits for the test, a pause of the probe for nothing.
		isPause: (ms, signal) => signal !== undefined && ms >= MINUTE,
		sleep: async (ms, signal) =>
			await sleep(ms === 1_000 ? 0 : ms, undefined, { signal, ref: false }).catch(() =>
				signal?.throwIfAborted(),
			),
	});

	const receivers: Receiver[] = [];
	const endings: Array<() => Promise<void>> = [];
	afterEach(async () => {
		for (const end of endings.splice(0)) await end();
		for (const receiver of receivers.splice(0)) await receiver.stop();
	});

	/** Another system, or whatever stands in for something at a URL. */
	const receiver = async (...answers: Array<number | null>) => {
		const started = await startReceiver();
		started.answers.push(...answers);
		receivers.push(started);
		return started;
	};
	/** At most one of the answers comes without end. */
	const always = async (status: number) => await receiver(...Array<number>(50).fill(status));

	const create = async ({ options = {}, events = ['message.received'], n8nUrl }: Publication = {}) =>
		await place.trigger({ parameters: { events, options }, ...(n8nUrl && { n8nUrl }) });
	const publish = async (publication?: Publication) => {
		const trigger = await create(publication);
		await trigger.activate();
		return trigger;
	};
	const pair = async () => [await publish(), await publish()] as const;
	/** Another n8n, whose triggers this process serves, too. */
	const otherN8n = () => place.n8nUrl.replace('127.0.0.1', 'localhost');

	const { config } = place;
	const secret = async () => (await place.service.control.webhook()).secret;
	/** A secret that no test had before: the process remembers which ones are wrong. */
	const oldSecret = () => `old-${time.skippedMs}`;
	const listed = async () => subscribersIn((await config())?.url ?? '', await secret());
	const urlOf = ({ node }: Trigger) => `${place.n8nUrl}/webhook/${node.webhookId}/webhook`;
	const subscriberOf = (trigger: Trigger): Subscriber => ({
		url: urlOf(trigger),
		kind: 'workflow',
		events: ['message.received'],
		timeoutSeconds: 30,
	});
	const setWebhook = async ({ url, events, timeoutSeconds }: Omit<Subscriber, 'kind'>) =>
		await api('POST', '/webhooks', { url, events, timeout_seconds: timeoutSeconds });
	/** Registers these subscribers, as their triggers would. */
	const register = async (...subscribers: Subscriber[]) =>
		await setWebhook(registrationOf(subscribers, await secret()));
	/** Another system that has the webhook. */
	const foreign = async (...answers: Array<number | null>) => {
		const other = await receiver(...answers);
		const { is_active, ...registered } = foreignConfig(other);
		expect([is_active, (await api('POST', '/webhooks', registered)).status]).toEqual([true, 200]);
		return other;
	};

	const deliver = async (eventId = 'event', more: Parameters<typeof place.deliver>[0] = {}) =>
		(await place.deliver({ eventId, ...more })).status;
	const requestsOf = async (operationId: string) =>
		(await place.service.control.requests({ operationId })).length;

	/** Begins to look after the subscriptions of triggers, until the test ends. */
	const watch = async (...triggers: Trigger[]) => {
		for (const trigger of triggers) endings.push(await trigger.watch());
		await time.untilPausing(triggers.length);
	};
	const advance = async (minutes: number, stepMs = MINUTE) =>
		await time.advance(Math.ceil((minutes * MINUTE) / stepMs), stepMs);
	/** n8n takes the trigger's URL away and cannot remove its subscription. */
	const die = async (trigger: Trigger, mode?: 'manual') => {
		await place.service.control.addFault({ kind: 'status', status: 400, times: 'always' });
		await expect(trigger.deactivate(mode)).rejects.toThrow();
		await place.service.control.clearFaults();
	};
	/** n8n can no longer read the credential of the trigger. */
	const deleteCredential = (trigger: Trigger) =>
		Object.defineProperty(trigger, 'credential', {
			get: () => {
				throw new Error('Credential does not exist');
			},
		});

	return {
		...{ place, api, time, receiver, always, create, publish, pair, otherN8n, config, secret, oldSecret },
		...{ listed, urlOf, subscriberOf, setWebhook, register, foreign, deliver, requestsOf },
		...{ watch, advance, die, deleteCredential },
		/** What happens after the test. */
		endings,
	};
}
