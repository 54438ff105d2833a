import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import type { INodeParameters } from 'n8n-workflow';

import { clock } from '../../nodes/MessagingChannel/trigger/account/clock';
import { requestHeader, REQUEST_HEADER } from '../../nodes/MessagingChannel/trigger/sharing/internalRequest';
import { registrationOf, subscribersIn } from '../../nodes/MessagingChannel/webhook/sharedUrl';
import type { Subscriber } from '../../nodes/MessagingChannel/webhook/subscribers';
import { eventually } from '../support/poll';
import { callerOf, startReceiver, type Receiver } from '../support/service/testing';
import { close, listen } from '../support/localServer';
import { messageBody, useTrigger, type Trigger } from '../support/engine/trigger';
import { useTriggerClock } from '../support/engine/triggerClock';
import { sign } from '../support/service/core/signature';

const place = useTrigger();
const api = callerOf(() => place.service);
const MINUTE = 60_000;
const NOWHERE = 'http://127.0.0.1:9';

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
const watches: Array<() => Promise<void>> = [];
afterEach(async () => {
	for (const end of watches.splice(0)) await end();
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

interface Publication {
	options?: INodeParameters;
	events?: string[];
	n8nUrl?: string;
}
const create = async ({ options = {}, events = ['message.received'], n8nUrl }: Publication = {}) =>
	await place.trigger({ parameters: { events, options }, ...(n8nUrl && { n8nUrl }) });
const publish = async (publication?: Publication) => {
	const trigger = await create(publication);
	await trigger.activate();
	return trigger;
};
const share = { options: { ifWebhookExists: 'share' } };
/** Another n8n, whose triggers this process serves, too. */
const otherN8n = () => place.n8nUrl.replace('127.0.0.1', 'localhost');

const { config } = place;
const secret = async () => (await place.service.control.webhook()).secret;
const listed = async () => subscribersIn((await config())?.url ?? '', await secret());
const urlOf = ({ node }: Trigger, n8nUrl = place.n8nUrl) => `${n8nUrl}/webhook/${node.webhookId}/webhook`;
const subscriberOf = (trigger: Trigger): Subscriber => ({
	url: urlOf(trigger),
	kind: 'workflow',
	events: ['message.received'],
	timeoutSeconds: 30,
});
/** A workflow of an n8n that is no longer there. */
const lost = (name: string): Subscriber => ({
	url: `${NOWHERE}/webhook/${name}/webhook`,
	kind: 'workflow',
	events: ['message.received'],
	timeoutSeconds: 30,
});
const setWebhook = async ({ url, events, timeoutSeconds }: Omit<Subscriber, 'kind'>) =>
	await api('POST', '/webhooks', { url, events, timeout_seconds: timeoutSeconds });
/** Registers these subscribers, as their triggers would. */
const register = async (...subscribers: Subscriber[]) =>
	await setWebhook(registrationOf(subscribers, await secret()));
const foreignConfig = ({ url }: Receiver) => ({
	url: `${url}?token=1`,
	events: ['message.received', 'message.sent'],
	is_active: true,
	timeout_seconds: 7,
});
/** Another system that has the webhook. */
const foreign = async (...answers: Array<number | null>) => {
	const other = await receiver(...answers);
	const { is_active, ...registered } = foreignConfig(other);
	expect([is_active, (await api('POST', '/webhooks', registered)).status]).toEqual([true, 200]);
	return other;
};

const deliver = async (eventId = 'event', more: Parameters<typeof place.deliver>[0] = {}) =>
	(await place.deliver({ eventId, ...more })).status;
const idsOf = ({ taken }: Trigger) => taken.map(({ json }) => json.event_id);
const requestsOf = async (operationId: string) =>
	(await place.service.control.requests({ operationId })).length;

describe('several workflows', () => {
	test('get the events that each of them wants', async () => {
		const all = await publish();
		const statuses = await publish({ events: ['message.status'] });
		const groups = await publish({ options: { chatType: 'group', timeoutSeconds: 40 } });

		expect(await config()).toMatchObject({
			events: ['message.received', 'message.status'],
			timeout_seconds: 40,
		});
		expect(await deliver('message')).toBe(200);
		const group = messageBody({}, { chat: { id: 'a@g.us', type: 'group' } });
		expect(await deliver('group', { body: group })).toBe(200);
		const status = JSON.stringify({ event: 'message.status', account_id: 'account-1', status: 'read' });
		expect(await deliver('status', { event: 'message.status', body: status })).toBe(200);

		expect([all, statuses, groups].map(idsOf)).toEqual([['message', 'group'], ['status'], ['group']]);
	});

	test.each([
		['in the order', [0, 1, 2]],
		['against the order', [2, 1, 0]],
		['in some order', [1, 2, 0]],
	])('that are unpublished %s of their publication leave the others working', async (_, order) => {
		const triggers = [await publish(), await publish(), await publish({ events: ['message.sent'] })];
		const wanting = (left: Trigger[]) => left.filter((trigger) => trigger !== triggers[2]);
		const left = [...triggers];
		for (const index of order) {
			const [unpublished] = left.splice(left.indexOf(triggers[index] as Trigger), 1);
			await unpublished?.deactivate();
			const id = `without-${index}`;
			expect((await config())?.is_active).toBe(left.length > 0);
			if (left.length === 0) continue;
			expect(await deliver(id)).toBe(200);
			for (const trigger of triggers)
				expect(idsOf(trigger).includes(id)).toBe(wanting(left).includes(trigger));
		}
	});

	test('lose nothing while n8n has taken the hub’s URL away and not yet called `delete`', async () => {
		await place.service.control.setRedelivery({ maxAttempts: 10, backoffMs: 50 });
		const hub = await publish();
		const other = await publish();
		await place.service.control.addFault({ operationId: 'webhook.get', kind: 'delay', ms: 200 });
		await place.service.control.clearRequests();

		const left = hub.deactivate();
		const { eventId } = await place.service.control.incomingMessage({ from: '905551112233' });
		await left;
		await place.service.control.idle();

		const [delivery] = await place.service.control.deliveries({ eventId });
		expect(delivery?.attempts.map(({ status }) => status)).toEqual(expect.arrayContaining([404, 200]));
		expect([hub, other].map(idsOf)).toEqual([[], [eventId]]);
	});

	test('join without a sample, and the webhook is never set to a URL that refuses events', async () => {
		await publish();
		await place.service.control.clearRequests();
		await publish();

		expect(await requestsOf('webhook.test')).toBe(0);
		const set = await place.service.control.requests({ operationId: 'webhook.set' });
		expect(set.map(({ body }) => (body as { url: string }).url)).toEqual([(await config())?.url]);
	});

	test.each([
		['no sample where the first one had its own', 0],
		['a sample where that of the first one did not arrive', 1],
	])('need %s, also when the last event is long ago', async (_, samples) => {
		const fault = { operationId: 'webhook.test', kind: 'status', status: 404 } as const;
		if (samples > 0) await place.service.control.addFault(fault);
		await publish();
		await place.service.control.clearRequests();
		time.skip(6 * MINUTE);
		await publish();

		expect(await requestsOf('webhook.test')).toBe(samples);
	});
});

describe('a workflow that', () => {
	test('refuses gets no redelivery, and an execution of its own says so', async () => {
		const hub = await publish();
		const other = await publish();
		other.credential.signingSecret = 'an-old-secret';
		time.skip(2 * MINUTE);

		for (let count = 1; count <= 5; count++) expect(await deliver(`event-${count}`)).toBe(200);

		expect(idsOf(hub)).toHaveLength(5);
		expect(hub.log).toContainEqual(expect.stringContaining(`${urlOf(other)}: it refuses the event`));
		expect(other.taken).toEqual([{ json: { unverified_since: expect.any(String) } }]);
	});

	test.each([
		['the hub', 0],
		['another one', 1],
	])('fails has the event delivered again, and nobody runs it twice (%s)', async (_, failing) => {
		const triggers = [await publish(), await publish(), await publish()];
		triggers[failing]?.answers.push(500);

		expect(await deliver()).toBe(failing === 0 ? 500 : 503);
		expect(triggers.map((trigger) => idsOf(trigger).length)).toEqual(
			triggers.map((_trigger, index) => (index === failing ? 0 : 1)),
		);
		expect(await deliver()).toBe(200);
		expect(triggers.map(idsOf)).toEqual([['event'], ['event'], ['event']]);
	});

	test('is absent has events delivered again for five minutes, and gets them when it is back', async () => {
		const hub = await publish();
		const other = await publish();
		await place.service.control.addFault({ kind: 'status', status: 400, times: 'always' });
		await expect(other.deactivate()).rejects.toThrow();
		await place.service.control.clearFaults();

		for (const [minutes, status] of [
			[0, 503],
			[40, 503],
			[1.5, 503],
			[1.5, 503],
			[1.5, 503],
			[0.5, 200],
			[1, 200],
		] as const) {
			time.skip(minutes * MINUTE);
			expect(await deliver(`${time.skippedMs}`)).toBe(status);
		}
		expect(hub.log.at(-1)).toContain(`${urlOf(other)}: nothing has responded there for five minutes`);

		await other.activate('init');
		expect(await deliver('back')).toBe(200);
		await eventually(
			() => idsOf(other),
			(ids) => ids.includes('back'),
		);
		other.answers.push(500);
		expect(await deliver('again')).toBe(503);
	});

	test('takes too long has the event delivered again before the service gives up', async () => {
		await publish({ options: { timeoutSeconds: 3 } });
		const other = await publish({ options: { timeoutSeconds: 3 } });
		let answer: (status: number) => void = () => {};
		other.answers.push(new Promise((resolve) => (answer = resolve)));

		expect(await deliver()).toBe(503);
		answer(200);
	});

	test('refuses with a new secret has the event delivered again, because the secret will sign it', async () => {
		const hub = await publish();
		const other = await publish();
		time.skip(2 * MINUTE);
		// Only the hub reads the old secret, and keeps it.
		const body = messageBody();
		const mark = requestHeader('event', Buffer.from(body), await secret(), Date.now());
		expect(await deliver('before', { body, headers: { [REQUEST_HEADER]: mark } })).toBe(200);
		for (const { credential } of [hub, other]) credential.signingSecret = 'the-new-secret';

		expect(await deliver()).toBe(503);
		// The hub cannot tell any more that its secret is an old one.
		Object.defineProperty(hub, 'credential', {
			get: () => {
				throw new Error('Credential does not exist');
			},
		});
		expect(await deliver('unread')).toBe(503);
	});

	test.each([
		[
			'refuses in the place of a workflow',
			403,
			'blocked',
			0,
			200,
			/are blocked, so that workflow misses events/,
		],
		[
			'fails for minutes',
			502,
			'fails',
			2,
			503,
			/does not respond as it should, so the service sends events again/,
		],
	])('a proxy that %s is reported once', async (_, answer, problem, minutes, status, words) => {
		const hub = await publish();
		const { url } = await always(answer);
		await register(subscriberOf(hub), { ...subscriberOf(hub), url });

		const reports = () => hub.taken.filter(({ json }) => json.event_id === undefined);
		for (let count = 1; count <= 10; count++) {
			expect(await deliver(`event-${count}`)).toBe(status);
			if (count === 3) expect(reports()).toEqual([]);
			time.skip(minutes * MINUTE);
		}

		await eventually(reports, ({ length }) => length === 1);
		expect(reports()).toEqual([{ json: { receiver: url, problem, since: expect.any(String) } }]);
		await expect(hub.execute(reports())).rejects.toThrow(words);
	});

	test.each<[string, Subscriber['kind'], number | null, number]>([
		['an n8n that starts, which responds 200 to everything', 'workflow', 200, 503],
		['a workflow that has ended', 'workflow', 404, 503],
		['a proxy that refuses', 'workflow', 403, 200],
		['another system', 'external', 200, 200],
		['another system that refuses', 'external', 401, 200],
		['another system that fails', 'external', 500, 503],
		['another system that is absent', 'external', 404, 503],
		['a test that has it', 'test', 200, 200],
		['a test that refuses', 'test', 401, 200],
		['a test that fails', 'test', 500, 200],
		['a test that is absent', 'test', 404, 200],
		['a test that never responds', 'test', null, 200],
	])('is %s (%s, %s): the service gets %i', async (_, kind, answer, status) => {
		const hub = await publish();
		const { url, received } = await receiver(answer);
		await register(subscriberOf(hub), { ...subscriberOf(hub), url, kind });

		const begun = Date.now();
		expect(await deliver()).toBe(status);
		expect(Date.now() - begun).toBeLessThan(10_000);
		await eventually(
			() => received,
			({ length }) => length === 1,
		);
		expect(idsOf(hub)).toEqual(['event']);
		// The user of a test sees it.
		expect(hub.log).toHaveLength(kind === 'test' || (kind === 'external' && answer === 200) ? 0 : 1);
	});
});

describe('another system', () => {
	test('gets the same bytes and headers with Share, and its webhook back', async () => {
		const other = await foreign();
		const triggers = [await publish(share), await publish()];
		expect(await config()).toMatchObject({
			events: ['message.received', 'message.sent'],
			timeout_seconds: 30,
		});
		const before = other.received.length;
		const body = ` ${messageBody({ body: 'ü 👋' })}\n`;
		const attempt = await place.deliver({ body, eventId: 'event' });

		expect(attempt.status).toBe(200);
		const [copy] = other.received.slice(before);
		expect(copy?.body.toString()).toBe(body);
		expect(copy?.headers['x-service-signature']).toBe(sign(copy?.body ?? '', await secret()));
		const sent = Object.entries(attempt.headers).map(([name, value]) => [name.toLowerCase(), value] as const);
		expect(copy?.headers).toMatchObject(Object.fromEntries(sent));
		expect(copy?.headers).not.toHaveProperty(REQUEST_HEADER);
		expect(triggers.map(idsOf)).toEqual([['event'], ['event']]);

		for (const trigger of triggers) await trigger.deactivate();
		expect(await config()).toEqual(foreignConfig(other));
	});

	test('gets its webhook back when a workflow that shares it has a mistyped secret', async () => {
		const other = await foreign();
		const trigger = await create(share);
		trigger.credential.signingSecret = 'mistyped';

		await expect(trigger.activate()).rejects.toThrow(
			"The 'Signing Secret' in the credential is not the one that the service uses",
		);

		expect(await config()).toEqual(foreignConfig(other));
	});

	test('gets its webhook back also when the secret of the workflow was right a moment ago', async () => {
		const first = await publish();
		await deliver();
		await first.deactivate();
		const other = await foreign();
		const trigger = await create(share);
		await api('POST', '/webhooks/rotate-secret');

		await expect(trigger.activate()).rejects.toThrow(
			"The 'Signing Secret' in the credential is not the one that the service uses",
		);

		expect(await config()).toEqual(foreignConfig(other));
	});

	test.each(['', 'SHARE', '={{ null }}'])(
		'keeps its webhook when an expression gives no choice of what to do with it (%j)',
		async (ifWebhookExists) => {
			const other = await foreign();

			await expect(publish({ options: { ifWebhookExists } })).rejects.toThrow('already points to');

			expect(await config()).toEqual(foreignConfig(other));
		},
	);

	test('gets events that only it wants, and new types of events', async () => {
		const other = await foreign();
		const trigger = await publish({ ...share, events: ['message.status'] });
		const before = other.received.length;
		const bodyOf = (event: string) => JSON.stringify({ event, account_id: 'account-1' });
		for (const event of ['message.sent', 'message.status', 'message.reaction'])
			expect(await deliver(event, { event, body: bodyOf(event) })).toBe(200);

		expect(other.received.slice(before).map(({ headers }) => headers['x-service-event'])).toEqual([
			'message.sent',
			'message.reaction',
		]);
		expect(idsOf(trigger)).toEqual(['message.status']);
	});

	test.each(['fail', 'replace', 'share'])('stays when another workflow joins with %s', async (choice) => {
		const other = await foreign();
		await publish(share);
		await publish({ options: { ifWebhookExists: choice } });

		expect((await listed())?.subscribers.map(({ kind }) => kind)).toEqual([
			'workflow',
			'workflow',
			'external',
		]);
		expect((await listed())?.subscribers[2]?.url).toBe(`${other.url}?token=1`);
	});
});

describe('two n8n on one account', () => {
	const join = async (choice: string) =>
		await publish({ options: { ifWebhookExists: choice }, n8nUrl: otherN8n() });

	test('do not share it by themselves', async () => {
		const first = await publish();
		const before = await config();

		await expect(join('fail')).rejects.toThrow(`The account's webhook already points to ${urlOf(first)}`);

		expect(await config()).toEqual(before);
	});

	test('share it with Share, and each event makes one hop', async () => {
		const first = [await publish(), await publish()];
		const second = [await join('share'), await join('share')];

		expect(await deliver()).toBe(200);
		expect([...first, ...second].map(idsOf)).toEqual(Array(4).fill(['event']));
		for (const trigger of first) await trigger.deactivate();
		expect(await deliver('later')).toBe(200);
		expect(second.map(idsOf)).toEqual(Array(2).fill(['event', 'later']));
	});

	test('take it from each other with Replace, and the workflows of one n8n stay together', async () => {
		const first = await publish();
		const second = [await join('share'), await join('replace')];

		expect(await deliver()).toBe(200);
		expect([first, ...second].map(idsOf)).toEqual([[], ['event'], ['event']]);
	});

	test('share it again when a publication with Replace fails', async () => {
		const triggers = [await publish(), await join('share')];
		const before = await config();
		const third = await create({ options: { ifWebhookExists: 'replace' }, n8nUrl: otherN8n() });
		await place.service.control.addFault({ operationId: 'account.get', kind: 'status', status: 400 });

		await expect(third.activate()).rejects.toThrow();

		expect(await config()).toEqual(before);
		expect(await deliver()).toBe(200);
		expect(triggers.map(idsOf)).toEqual([['event'], ['event']]);
	});

	test('are together again after a start when somebody has removed the webhook', async () => {
		const triggers = [await publish(), await publish()];
		await api('DELETE', '/webhooks');

		for (const trigger of triggers) await trigger.activate('init');

		expect(await deliver()).toBe(200);
		expect(triggers.map(idsOf)).toEqual([['event'], ['event']]);
	});

	test.each(['fail', 'replace', 'share'])(
		'workflows of an n8n whose URL has changed, with %s, leave the old list as it is until they are published again',
		async (choice) => {
			await register(lost('one'), lost('two'));
			const before = await config();
			const moved = [await create({ options: { ifWebhookExists: choice } })];
			moved.push(await create({ options: { ifWebhookExists: choice } }));
			const refusal = {
				fail: `The account's webhook already points to ${lost('one').url}`,
				replace: '',
				share: `No Messaging Channel Trigger responds at ${lost('one').url}`,
			}[choice];

			if (choice === 'fail') {
				for (const trigger of moved) await expect(trigger.activate('init')).rejects.toThrow(refusal);
			}
			if (choice === 'replace') {
				for (const trigger of moved) await trigger.activate('init');
				expect(moved[0]?.log.join()).toContain(
					'n8n does not replace it at startup; unpublish and publish the workflow',
				);
			}
			if (choice !== 'replace') {
				for (const trigger of moved) await expect(trigger.activate()).rejects.toThrow(refusal);
				expect(await config()).toEqual(before);
				// What the messages advise.
				await api('DELETE', '/webhooks');
			}
			for (const trigger of moved) await trigger.activate();

			expect(await deliver()).toBe(200);
			expect(moved.map(idsOf)).toEqual([['event'], ['event']]);
			expect((await listed())?.subscribers).toHaveLength(2);
		},
	);
});

describe('a test', () => {
	const listen = async (publication?: Publication) => {
		const trigger = await create(publication);
		await trigger.activate('manual');
		return trigger;
	};

	test('joins and leaves, and production gets every event', async () => {
		const production = await publish();
		const before = await config();
		const tests = [await listen({ events: ['message.sent', 'message.received'] }), await listen()];
		expect(await config()).toMatchObject({ events: ['message.received', 'message.sent'] });

		const all = [production, ...tests];
		const get = async (eventId: string, getting: Trigger[]) => {
			expect(await deliver(eventId)).toBe(200);
			for (const trigger of getting)
				await eventually(
					() => idsOf(trigger),
					(ids) => ids.includes(eventId),
				);
		};
		await get('both', all);
		await tests[0]?.deactivate('manual');
		await get('one', [production, ...tests.slice(1)]);
		await tests[1]?.deactivate('manual');
		expect(await config()).toEqual(before);
		await get('none', [production]);

		expect(all.map(idsOf)).toEqual([['both', 'one', 'none'], ['both'], ['both', 'one']]);
	});

	test('that n8n did not end is no hub of the next one', async () => {
		const ended = await listen();
		await place.service.control.addFault({ kind: 'status', status: 400, times: 'always' });
		await expect(ended.deactivate('manual')).rejects.toThrow();
		await place.service.control.clearFaults();
		const tested = await listen();

		expect(await deliver()).toBe(200);
		expect(idsOf(tested)).toEqual(['event']);
	});

	test('that is the hub does not call itself', async () => {
		const tested = await listen();
		const before = place.read;

		for (const id of ['one', 'two']) expect(await deliver(id)).toBe(200);

		expect(idsOf(tested)).toEqual(['one', 'two']);
		expect(place.read - before).toBe(2);
	});

	test.each(['replace', 'share'])(
		'with %s leaves another system its events and its webhook',
		async (choice) => {
			const other = await foreign();
			const tested = await listen({ options: { ifWebhookExists: choice } });

			expect(await deliver()).toBe(200);
			expect(other.received).toHaveLength(1);
			expect(idsOf(tested)).toEqual(['event']);
			await tested.deactivate('manual');
			expect(await config()).toEqual(foreignConfig(other));
		},
	);
});

describe('a delivery', () => {
	/** A workflow and another system, and how often the latter was called. */
	const shared = async (options = {}) => {
		const other = await foreign();
		const trigger = await publish({ options: { ifWebhookExists: 'share', ...options } });
		const before = other.received.length;
		return { trigger, other, calls: () => other.received.length - before };
	};

	test('that the hub’s own filter drops is forwarded, once', async () => {
		const { trigger, calls } = await shared({ chatType: 'group' });
		const body = messageBody();
		for (let times = 1; times <= 2; times++) {
			expect(await deliver('event', { body })).toBe(200);
			expect(calls()).toBe(1);
		}
		expect(idsOf(trigger)).toEqual([]);
	});

	test.each([
		['with another signature', { signature: 'other-key' as const }],
		['that is old', { timestamp: { offsetSeconds: -310 } }],
		['without an ID', { headers: { 'X-Service-Event-Id': null } }],
	])('%s is never forwarded', async (_, forged) => {
		const { calls } = await shared();
		expect(await deliver('event', forged)).not.toBe(200);
		expect(calls()).toBe(0);
	});

	test('with a forged list is forwarded as the service has it, which is read once a minute', async () => {
		const { trigger, calls } = await shared();
		const victim = await receiver();
		const forged = registrationOf(
			[subscriberOf(trigger), { ...subscriberOf(trigger), url: victim.url, kind: 'external' }],
			'guessed',
		);
		await place.service.control.clearRequests();
		for (let count = 1; count <= 5; count++) {
			const url = count === 5 ? `${urlOf(trigger)}?subscribers=x` : forged.url;
			// Later, the list may be a newer one than the one that was read.
			expect(await deliver(`${count}`, { url })).toBe(count === 1 ? 200 : 503);
		}
		expect([calls(), victim.received.length, await requestsOf('webhook.get')]).toEqual([1, 0, 1]);

		time.skip(MINUTE);
		await deliver('later', { url: forged.url });
		expect(await requestsOf('webhook.get')).toBe(2);
	});

	test('does not wait minutes for a service that does not respond when the list is read', async () => {
		const { trigger, calls } = await shared();
		await place.service.control.addFault({ operationId: 'webhook.get', kind: 'silence' });
		jest.mocked(clock.sleep).mockImplementationOnce(async (ms) => expect(ms).toBe(10_000));

		expect(await deliver('event', { url: `${urlOf(trigger)}?subscribers=x` })).toBe(503);

		expect(calls()).toBe(0);
	});

	test('reaches everybody when the service drops the list from the URL', async () => {
		const { trigger, calls } = await shared();
		await place.service.control.clearRequests();

		for (const id of ['one', 'two']) expect(await deliver(id, { url: urlOf(trigger) })).toBe(200);
		expect([idsOf(trigger), calls(), await requestsOf('webhook.get')]).toEqual([['one', 'two'], 2, 1]);
	});

	test('is asked for again when another system has taken the webhook, and the list is signed with an old secret', async () => {
		const triggers = [await publish(), await publish()];
		const url = (await config())?.url;
		await api('POST', '/webhooks/rotate-secret');
		for (const { credential } of triggers) credential.signingSecret = await secret();
		await foreign();

		expect(await deliver('event', { url })).toBe(503);
	});

	test('without its list reaches a workflow that has just joined', async () => {
		const triggers = [await publish(), await publish()];
		const url = urlOf(triggers[0] as Trigger);
		expect(await deliver('one', { url })).toBe(200);
		triggers.push(await publish());
		expect(await deliver('two', { url })).toBe(200);

		expect(triggers.map(idsOf)).toEqual([['one', 'two'], ['one', 'two'], ['two']]);
	});

	test('reaches everybody after a change of the secret, before the list is signed again', async () => {
		const triggers = [await publish(), await publish()];
		await api('POST', '/webhooks/rotate-secret');
		for (const trigger of triggers) trigger.credential.signingSecret = await secret();
		time.skip(2 * MINUTE);
		await place.service.control.clearRequests();

		for (const id of ['one', 'two']) expect(await deliver(id)).toBe(200);

		expect(triggers.map(idsOf)).toEqual(Array(2).fill(['one', 'two']));
		expect(await requestsOf('webhook.get')).toBe(1);
	});

	test.each([
		['another system has', async () => await foreign()],
		['nobody has', async () => await api('DELETE', '/webhooks')],
	])('is asked for again when its list is not signed, and %s the webhook now', async (_, replace) => {
		await publish();
		await publish();
		const url = (await config())?.url ?? '';
		await replace();

		expect(await deliver('event', { url: `${url}x` })).toBe(503);
	});

	test('with a newer list than the one that was read goes to all on it', async () => {
		const triggers = [await publish(), await publish()];
		expect(await deliver('one', { url: `${(await config())?.url ?? ''}x` })).toBe(200);
		triggers.push(await publish());

		expect(await deliver('two', { url: `${(await config())?.url ?? ''}x` })).toBe(200);
		expect(triggers.map(idsOf)).toEqual([['one', 'two'], ['one', 'two'], ['two']]);
	});
});

describe('a workflow that cannot join says why, and changes nothing:', () => {
	const SECRET_WORDS =
		"The 'Signing Secret' in the credential differs from that of the workflow that receives the events now. If another credential";

	test('another secret', async () => {
		await publish();
		const before = await config();
		const second = await create();
		second.credential.signingSecret = 'an-old-secret';

		await expect(second.activate()).rejects.toThrow(SECRET_WORDS);

		expect(await config()).toEqual(before);
	});

	test('a secret that was mistyped in the credential of all of them', async () => {
		const hub = await publish();
		const second = await create();
		hub.credential.signingSecret = second.credential.signingSecret = 'mistyped';

		await expect(second.activate()).rejects.toThrow(
			"The 'Signing Secret' in the credential is not the one that the service uses",
		);

		hub.credential.signingSecret = await secret();
		time.skip(MINUTE);
		expect(await deliver()).toBe(200);
	});

	test('the hub cannot reach it', async () => {
		await publish();
		const before = await config();
		const second = await create({ ...share, n8nUrl: NOWHERE });

		await expect(second.activate()).rejects.toThrow(
			`The n8n that receives the events of this account cannot reach ${urlOf(second, NOWHERE)}. Several workflows`,
		);

		expect(await config()).toEqual(before);
	});

	test.each([
		['nothing responds', async () => NOWHERE],
		['something fails', async () => (await always(502)).url.replace('/hook', '')],
	])('the hub does not respond (%s)', async (_, hubOrigin) => {
		const url = `${await hubOrigin()}/webhook/hub/webhook`;
		await setWebhook({ url, events: ['message.sent'], timeoutSeconds: 7 });

		await expect((await create(share)).activate()).rejects.toThrow(
			`No Messaging Channel Trigger responds at ${url}, which receives the events of this account. Several workflows`,
		);

		expect(await config()).toMatchObject({ url, timeout_seconds: 7 });
	});

	test('or joins a hub where the path of all webhooks has another name', async () => {
		const hub = await publish();
		const url = urlOf(hub).replace('/webhook/', '/hooks/');
		await setWebhook({ ...subscriberOf(hub), url });

		await (await create()).activate('manual');

		expect((await listed())?.subscribers).toMatchObject([{ url, kind: 'workflow' }, { kind: 'test' }]);
	});

	test.each([
		['/crm/v1/webhook', '/webhook'],
		['/webhook/theirs/webhook', '/webhook'],
		// An administrator has given the path of all webhooks another name.
		['/crm/v1/webhook', '/hooks'],
		['/hooks/v1/webhook', '/hooks'],
	])('or does not take %s of another system for a hub where n8n is at %s', async (path, ownPath) => {
		const { url } = await always(404);
		const theirs = url.replace('/hook', path);
		await setWebhook({ url: theirs, events: ['message.received'], timeoutSeconds: 7 });

		for (const mode of ['activate', 'init'] as const) {
			const { origin } = new URL(url);
			const bases = { production: `${origin}${ownPath}`, test: `${origin}${ownPath}-test` };
			const trigger = await place.trigger({ parameters: { events: ['message.received'] }, bases });
			// At a start, the repair finds out later whose it is.
			if (mode === 'init') await trigger.activate(mode).catch(() => undefined);
			else await expect(trigger.activate(mode)).rejects.toThrow(`already points to ${theirs}`);
			watches.push(await trigger.watch());
		}
		expect((await config())?.url).toBe(theirs);
		await time.advance(20, MINUTE);

		expect((await config())?.url).toBe(theirs);
	});
});

describe('looking after the subscription', () => {
	const watch = async (...triggers: Trigger[]) => {
		for (const trigger of triggers) watches.push(await trigger.watch());
		await time.untilPausing(triggers.length);
	};
	const advance = async (minutes: number, stepMs = MINUTE) =>
		await time.advance(Math.ceil((minutes * MINUTE) / stepMs), stepMs);
	/** n8n takes the trigger's URL away and cannot remove its subscription. */
	const die = async (trigger: Trigger) => {
		await place.service.control.addFault({ kind: 'status', status: 400, times: 'always' });
		await expect(trigger.deactivate()).rejects.toThrow();
		await place.service.control.clearFaults();
	};
	const pair = async () => [await publish(), await publish()] as const;
	/** A secret that no test had before: the process remembers which ones are wrong. */
	const oldSecret = () => `old-${time.skippedMs}`;
	const urls = async () => (await listed())?.subscribers.map(({ url }) => url);

	test.each<[string, (triggers: readonly [Trigger, Trigger]) => Promise<unknown>, number]>([
		['an entry that is missing', async ([hub]) => await setWebhook(subscriberOf(hub)), 1],
		['a webhook that was deleted', async () => await api('DELETE', '/webhooks'), 1],
		[
			'events that are missing',
			async () => await api('POST', '/webhooks', { ...(await config()), is_active: undefined, events: [] }),
			1,
		],
		[
			'a list of an old secret',
			async ([hub, other]) =>
				await setWebhook(registrationOf([subscriberOf(hub), subscriberOf(other)], 'an-old-secret')),
			1,
		],
	])('restores %s', async (_, happens, minutes) => {
		const both = await pair();
		const before = await listed();
		await happens(both);
		await watch(...both);
		await advance(minutes);

		expect((await listed())?.isSigned).toBe(true);
		expect(new Set(await urls())).toEqual(new Set(before?.subscribers.map(({ url }) => url)));
		expect((await config())?.events).toEqual(['message.received']);
		expect(await deliver()).toBe(200);
		expect(both.map(idsOf)).toEqual([['event'], ['event']]);
		expect(both.flatMap(({ log }) => log)).toContain("Listens: the account's webhook was repaired");
	});

	test('restores a webhook also after the clock was set back by hours', async () => {
		const trigger = await publish();
		await watch(trigger);
		await advance(1);
		await api('DELETE', '/webhooks');
		const now = jest.mocked(clock.now).mockImplementation(() => Date.now() - 180 * MINUTE);
		await advance(10);
		now.mockImplementation(() => Date.now());

		expect(await config()).toMatchObject({ url: subscriberOf(trigger).url, is_active: true });
	});

	test('removes a test that n8n did not end', async () => {
		const hub = await publish();
		const before = await config();
		const tested = await create();
		await tested.activate('manual');
		time.skip(11 * MINUTE);
		await watch(hub);
		await advance(1);

		expect(await config()).toEqual(before);
	});

	test.each(['fail', 'replace', 'share'])(
		'with %s takes the place of a test that n8n did not end, beside another system, also after a change of the secret',
		async (choice) => {
			const production = await publish({ options: { ifWebhookExists: choice } });
			const { url } = await receiver();
			const tested: Subscriber = {
				...subscriberOf(production),
				url: urlOf(production).replace('/webhook/', '/webhook-test/'),
				kind: 'test',
				expiresAt: Math.floor(Date.now() / 1000) - 1,
			};
			const external: Subscriber = { ...subscriberOf(production), url, kind: 'external' };
			await setWebhook(registrationOf([tested, external], oldSecret()));
			await watch(production);
			await advance(1);

			expect(await urls()).toEqual([urlOf(production), url]);
		},
	);

	test.each([
		['a dead hub', 0],
		['a workflow that is gone', 1],
	])('removes %s within minutes, and not at once', async (_, dead) => {
		const both = await pair();
		const alive = both[1 - dead] as Trigger;
		await die(both[dead] as Trigger);
		await watch(alive);
		await advance(1);
		expect(await urls()).toHaveLength(2);
		await advance(2);

		expect(await config()).toMatchObject({ url: urlOf(alive), is_active: true });
		expect(await deliver()).toBe(200);
		expect(idsOf(alive)).toEqual(['event']);
	});

	test.each<[string, string, RegExp | undefined]>([
		[
			'fail',
			'stays',
			/the webhook could not be repaired: The account's webhook already points to .* set it to 'Replace'/,
		],
		[
			'replace',
			'stays',
			/the webhook could not be repaired: The account's webhook already points to .* Unpublish and publish the workflow/,
		],
		['share', 'shares', undefined],
	])('with %s, another system that has set its own webhook %s', async (choice, _, words) => {
		const trigger = await publish({ options: { ifWebhookExists: choice } });
		const other = await foreign();
		await watch(trigger);
		await advance(11);

		if (words === undefined) {
			expect(await urls()).toEqual([urlOf(trigger), `${other.url}?token=1`]);
			return;
		}
		expect(await config()).toEqual(foreignConfig(other));
		expect(trigger.log.filter((line) => words.test(line))).toHaveLength(1);
	});

	test('takes over from a hub of another n8n that no longer responds, and leaves it on the list', async () => {
		const trigger = await create(share);
		await register(lost('one'), lost('two'));
		await trigger.activate('init');
		expect((await urls())?.[0]).toBe(lost('one').url);
		await watch(trigger);
		await advance(4);
		expect((await urls())?.[0]).toBe(lost('one').url);
		await advance(4);

		expect(await urls()).toEqual([urlOf(trigger), lost('one').url, lost('two').url]);
		expect(await deliver()).toBe(503);
		expect(idsOf(trigger)).toEqual(['event']);
	});

	test.each<[string, string, string, Subscriber['kind'], () => Promise<string> | string]>([
		['n8n', 'an old', '/webhook/one/webhook', 'workflow', oldSecret],
		['another system', 'an old', '/api/v1/webhook', 'external', oldSecret],
		['n8n, whatever its path', 'the same', '/api/v1/webhook', 'workflow', secret],
	])(
		'keeps a hub that no longer responds as one of %s, on a list with %s secret',
		async (_, _which, path, kind, signedWith) => {
			const trigger = await publish();
			const hub = { ...lost('one'), url: `${NOWHERE}${path}` };
			await setWebhook(registrationOf([hub, subscriberOf(trigger)], await signedWith()));
			await watch(trigger);
			await advance(10);

			expect((await listed())?.subscribers).toMatchObject([{ url: urlOf(trigger) }, { url: hub.url, kind }]);
		},
	);

	test('looks again only after five minutes for a trigger whose credential had no signing secret', async () => {
		const trigger = await publish();
		const { signingSecret } = trigger.credential;
		trigger.credential.signingSecret = '';
		await api('DELETE', '/webhooks');
		await watch(trigger);
		await advance(1);
		trigger.credential.signingSecret = signingSecret;

		await advance(4);
		expect((await config())?.is_active).toBe(false);
		await advance(1);
		expect((await config())?.is_active).toBe(true);
	});

	test('takes over from a hub whose credential was deleted, and leaves it on the list', async () => {
		const [hub, other] = await pair();
		Object.defineProperty(hub, 'credential', {
			get: () => {
				throw new Error('Credential does not exist');
			},
		});
		await watch(other);
		time.skip(2 * MINUTE);
		expect(await deliver('before')).toBe(503);
		await advance(4);
		expect((await urls())?.[0]).toBe(urlOf(hub));
		await advance(4);

		expect(await urls()).toEqual([other, hub].map((trigger) => urlOf(trigger)));
		expect(await deliver()).toBe(503);
		expect(idsOf(other)).toEqual(['event']);
	});

	test('leaves the webhook to a hub with an old secret, whose user is alerted, and says why no events may come', async () => {
		const [hub, other, third] = [await publish(), await publish(), await publish()];
		const before = await config();
		hub.credential.signingSecret = oldSecret();
		await watch(hub, other, third);
		// The sample at publication verified an event, too.
		time.skip(6 * MINUTE);
		await place.service.control.clearRequests();
		await advance(20);
		for (let count = 1; count <= 5; count++) expect(await deliver(`event-${count}`)).toBe(401);

		expect([await config(), await requestsOf('webhook.test')]).toEqual([before, 0]);
		expect(hub.taken).toEqual([{ json: { unverified_since: expect.any(String) } }]);
		expect(other.log).toContainEqual(
			expect.stringMatching(
				/has another 'Signing Secret'\. Give all .* \(webhook .*; an event verified \d+ s ago/,
			),
		);

		hub.credential.signingSecret = await secret();
		time.skip(2_000);
		expect(await deliver('again')).toBe(200);
		expect([hub, other, third].map((trigger) => idsOf(trigger).at(-1))).toEqual(Array(3).fill('again'));
	});

	describe('whose API key was changed to that of another account', () => {
		const change = async (trigger: Trigger) => {
			await place.service.control.setAccount({ id: 'account-2' });
			const permissions = ['chats:read', 'messages:read'] as const;
			const { apiKey } = await place.service.control.createKey({ permissions: [...permissions] });
			trigger.credential.apiKey = apiKey;
			await api('DELETE', '/webhooks');
		};
		const told = expect.stringContaining('The API key in the credential belongs to another account now');

		test('receives its events, and tells once an hour of the account before', async () => {
			const trigger = await publish();
			await change(trigger);
			await watch(trigger);
			await advance(30);

			expect((await config())?.url).toBe(urlOf(trigger));
			expect(trigger.reported.splice(0)).toEqual([told]);
			await advance(40);
			expect(trigger.reported.splice(0)).toEqual([told]);
		});

		test.each<[string, (trigger: Trigger) => Promise<unknown>]>([
			['unpublished', async () => await Promise.resolve()],
			[
				'published to poll',
				async (trigger) => {
					trigger.node.parameters = { listen: 'poll', events: ['message.received'] };
					await trigger.activate();
				},
			],
		])('tells so when it is %s, too', async (_, then) => {
			const trigger = await publish();
			await change(trigger);
			await trigger.deactivate();
			await then(trigger);

			expect(trigger.log).toEqual([expect.stringContaining("The account before is 'account-1'")]);
		});

		test('tells so when it is published, until it is published again', async () => {
			const trigger = await publish();
			await change(trigger);
			await trigger.deactivate();
			await trigger.activate();
			await watch(trigger);
			await advance(5);

			expect(trigger.log.splice(0)).toEqual([expect.stringContaining("The account before is 'account-1'")]);
			expect(trigger.reported.splice(0)).toEqual([told]);
			await trigger.deactivate();
			await trigger.activate();
			await advance(70);
			expect(trigger.reported).toEqual([]);
		});
	});

	test('says nothing of an account before whose webhook was given back', async () => {
		const trigger = await publish();
		await trigger.deactivate();
		await place.service.control.setAccount({ id: 'account-2' });
		trigger.credential.apiKey = (await place.service.control.createKey({ permissions: [] })).apiKey;
		await trigger.activate();
		await watch(trigger);
		await advance(10);

		expect([trigger.log, trigger.reported]).toEqual([[], []]);
	});

	test('keeps another system as one that registers itself again and fails on the questions of a trigger', async () => {
		const trigger = await publish(share);
		const server = createServer(({ headers }, response) => {
			response.writeHead(headers['x-service-signature'] === undefined ? 500 : 200).end();
		});
		const url = `${await listen(server)}/api/v1/webhook`;
		watches.push(async () => await close(server));
		await setWebhook({ url, events: ['message.received'], timeoutSeconds: 7 });
		await watch(trigger);
		await advance(20);

		expect((await listed())?.subscribers).toMatchObject([{ kind: 'workflow' }, { url, kind: 'external' }]);
		expect(await deliver()).toBe(200);
	});

	test('signs the list again as a hub that has verified an event, although another one has another secret', async () => {
		const [hub, other] = await pair();
		const old = oldSecret();
		other.credential.signingSecret = old;
		// The sample at publication verified an event, too.
		time.skip(6 * MINUTE);
		await setWebhook(registrationOf([subscriberOf(hub), subscriberOf(other)], old));
		const before = await config();
		await watch(hub);
		await advance(12);
		expect(await config()).toEqual(before);

		expect(await deliver()).toBe(200);
		await advance(6);
		expect((await listed())?.isSigned).toBe(true);
	});

	test('makes at most one request a minute for all workflows, and changes nothing that is right', async () => {
		const triggers = [await publish(), await publish(), await publish()];
		const before = await config();
		await place.service.control.clearRequests();
		await watch(...triggers);
		await advance(30);

		const requests = await place.service.control.requests();
		expect(new Set(requests.map(({ operationId }) => operationId))).toEqual(new Set(['webhook.get']));
		expect(requests.length).toBeGreaterThan(4);
		expect(requests.length).toBeLessThanOrEqual(30);
		expect(await config()).toEqual(before);
		expect(triggers.flatMap(({ log }) => log)).toEqual([]);
	});

	test.each<[string, () => Promise<unknown>]>([
		[
			'the service fails',
			async () => await place.service.control.addFault({ kind: 'status', status: 503, times: 'always' }),
		],
		[
			'the webhook cannot be set',
			async () => {
				await api('DELETE', '/webhooks');
				const fault = { operationId: 'webhook.set', kind: 'status', status: 500, times: 'always' } as const;
				await place.service.control.addFault(fault);
			},
		],
		['another system has the webhook', async () => await foreign()],
	])('makes few requests while %s', async (_, happens) => {
		const triggers = [await publish(), await publish(), await publish(), await publish()];
		await happens();
		await place.service.control.clearRequests();
		for (const trigger of triggers) {
			watches.push(await trigger.watch());
			time.skip(10_000);
		}
		await time.untilPausing(triggers.length);
		// All look in the same minute, one after the other: a look, and what one of them tries.
		await advance(1, 10_000);
		expect((await place.service.control.requests()).length).toBeLessThanOrEqual(3);
		await advance(20, 10_000);
		const byOperation = await place.service.control.requests({ operationId: 'webhook.get' });
		expect(byOperation.length).toBeLessThanOrEqual(21);
		await place.service.control.clearFaults();
	});

	test('makes few requests, and says so once, when the service limits the timeout', async () => {
		const trigger = await publish({ options: { timeoutSeconds: 120 } });
		await watch(trigger);
		let repairs = 0;
		for (let minute = 0; minute < 60; minute++) {
			if ((await config())?.timeout_seconds === 120) repairs++;
			await setWebhook({ ...subscriberOf(trigger), timeoutSeconds: 60 });
			await advance(1);
		}

		expect(repairs).toBeLessThan(15);
		expect(trigger.log).toEqual(["Listens: the account's webhook was repaired"]);
	});

	test('says that it has repaired only what it has', async () => {
		const [hub, ...others] = [await publish(), await publish(), await publish()] as const;
		await die(hub);
		await watch(...others);
		await place.service.control.clearRequests();
		await advance(10);

		// Both see that the hub is gone, and one of them removes it.
		expect(await requestsOf('webhook.set')).toBe(1);
		expect(others.flatMap(({ log }) => log)).toEqual(["Listens: the account's webhook was repaired"]);
	});

	test('says once that the service cannot be reached', async () => {
		const trigger = await publish();
		await place.service.control.addFault({ kind: 'status', status: 400, times: 'always' });
		await watch(trigger);
		await advance(20);

		expect(trigger.log).toEqual([expect.stringContaining('the webhook could not be repaired:')]);
	});

	test('is done once for a trigger that n8n starts again without ending it', async () => {
		const trigger = await publish();
		await watch(trigger);
		watches.push(await trigger.watch());
		await time.untilPausing(1);
	});

	test('never adds a workflow that was unpublished', async () => {
		const [hub, other] = await pair();
		await watch(hub, other);
		await other.deactivate();
		await advance(6);

		expect(await config()).toMatchObject({ url: urlOf(hub) });
		await hub.deactivate();
		await advance(6);
		expect((await config())?.is_active).toBe(false);
	});
});
