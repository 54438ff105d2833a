import type { INodeParameters } from 'n8n-workflow';

import type { Fault } from '../../support/service/core/faults';
import type { SampleSettings } from '../../support/service/core/settings';
import { eventually } from '../../support/poll';
import { callerOf } from '../../support/service/testing';
import { messageBody, textsOf, useTrigger, type Trigger } from '../../support/engine/trigger';

const place = useTrigger();
const publish = async (options?: Parameters<typeof place.trigger>[0]) => {
	const trigger = await place.trigger(options);
	await trigger.activate();
	return trigger;
};
const api = callerOf(() => place.service);
const { config, operations } = place;
const elsewhere = { url: 'http://127.0.0.1:9/hook', events: ['message.sent'], timeout_seconds: 7 };
const pointsElsewhere = { ...elsewhere, is_active: true };

const production = ({ node }: Trigger) => `${place.n8nUrl}/webhook/${node.webhookId}/webhook`;
const replace: INodeParameters = { options: { ifWebhookExists: 'replace' } };

describe('a message that comes while a workflow is published', () => {
	beforeEach(async () => await place.service.control.setRedelivery({ maxAttempts: 13, backoffMs: 20 }));

	/** Publishes when the service sends such a sample, and one message before it. */
	const publishWith = async (sample: SampleSettings) => {
		await place.service.control.configure({ sample: { ...sample, messagesBefore: 1 } });
		const trigger = await publish();
		await place.service.control.idle();
		return trigger;
	};

	const fails = { operationId: 'webhook.test', kind: 'status', status: 500, when: 'after' } as const;
	test.each<[string, SampleSettings, ...Fault[]]>([
		['comes', {}],
		['comes twice', { redelivered: true }],
		['is late', { sent: { afterMs: 100 }, redelivered: true }],
		['never comes', { sent: 'never' }],
		['cannot be sent', { sent: 'never' }, fails],
		// A parameter that a row lacks would be the callback of Jest, which it waits for.
	])('runs when it is delivered again, also when the sample %s', async (_, sample, ...faults) => {
		for (const fault of faults) await place.service.control.addFault(fault);
		const trigger = await publishWith(sample);

		expect(textsOf(trigger.taken)).toEqual(['A customer writes.']);
		const [message] = (await place.service.control.deliveries()).filter(({ source }) => source === 'event');
		const statuses = message?.attempts.map(({ status }) => status) ?? [];
		expect([statuses[0], statuses.at(-1)]).toEqual([503, 200]);
	});

	test('is not told from a sample that the service does not name, so both run', async () => {
		const trigger = await publishWith({ redelivered: true, named: false });

		expect(textsOf(trigger.taken).sort()).toEqual(['A customer writes.', 'This is a sample event.']);
	});
});

describe('publishing again', () => {
	const republish = async (trigger: Trigger) => {
		await trigger.deactivate();
		await place.service.control.clearRequests();
		await trigger.activate();
	};

	test('sets the webhook before it asks for anything else, and needs no check', async () => {
		const trigger = await publish();
		await republish(trigger);

		expect(await operations()).toEqual(['webhook.get', 'webhook.set', 'account.get']);
		expect((await config())?.url).toBe(production(trigger));
	});

	test('with a mistyped secret is refused, although the one of before is still known', async () => {
		const trigger = await publish();
		await place.deliver();
		trigger.credential.signingSecret += 'x';
		await trigger.deactivate();

		await expect(trigger.activate()).rejects.toThrow(
			"The 'Signing Secret' in the credential is not the one that the service uses",
		);
	});

	test('knows the events of before, and those that are under way', async () => {
		const trigger = await publish();
		const taken = { body: messageBody(), eventId: 'taken' };
		const underWay = { body: messageBody(), eventId: 'under-way' };
		await place.deliver(taken);
		let answer: (status: number) => void = () => undefined;
		trigger.answers.push(new Promise((resolve) => (answer = resolve)));
		const first = place.deliver(underWay);
		await eventually(
			() => trigger.answers,
			({ length }) => length === 0,
		);

		await republish(trigger);
		const copies = [place.deliver(taken), place.deliver(underWay)];
		answer(200);

		expect((await Promise.all([first, ...copies])).map(({ status }) => status)).toEqual([200, 200, 200]);
		expect(trigger.taken.map(({ json }) => json.event_id)).toEqual(['taken', 'under-way']);
	});
});

describe('when n8n starts', () => {
	test('all workflows of the account go on, and nothing is changed', async () => {
		const triggers = [await publish(), await publish(), await publish()];
		const before = await config();
		await place.service.control.clearRequests();

		await Promise.all(triggers.map(async (trigger) => await trigger.activate('init')));

		expect(await config()).toEqual(before);
		expect(await operations()).toEqual(['webhook.get', 'webhook.get', 'webhook.get']);
		expect(triggers.flatMap(({ log }) => log)).toEqual([]);
	});
});

test('two triggers in one workflow share the webhook', async () => {
	const first = await place.trigger({ node: { name: 'Messages' } });
	const { workflowId, node } = first;
	const second = await place.trigger({
		parameters: { events: ['message.status'] },
		workflowId,
		node: { name: 'Status', id: '2', credentials: node.credentials },
	});

	await Promise.all([first.activate(), second.activate()]);
	expect((await config())?.events).toEqual(['message.received', 'message.status']);

	await first.deactivate();
	expect(await config()).toMatchObject({ url: production(second), events: ['message.status'] });
});

test('two workflows that are published at once with two credentials of one account both get the events', async () => {
	const both = [await place.trigger(), await place.trigger()];

	await Promise.all(both.map(async (trigger) => await trigger.activate()));
	expect((await place.deliver()).status).toBe(200);

	expect(both.map(({ taken }) => taken.length)).toEqual([1, 1]);
});

test('a workflow whose credential cannot be read at first is not published beside another', async () => {
	const [first, second] = [await place.trigger(), await place.trigger()];
	const { credential } = second;
	let reads = 0;
	const read = () => {
		if (reads++ === 0) throw new Error('The database is not ready');
		return credential;
	};
	Object.defineProperty(second, 'credential', { get: read });

	const published = await Promise.allSettled(
		[first, second].map(async (trigger) => await trigger.activate()),
	);

	expect(published[0]).toMatchObject({ status: 'fulfilled' });
	expect(published[1]).toMatchObject({ reason: { message: 'The database is not ready' } });
	expect((await config())?.url).toBe(production(first));
});

test('a test gives production nothing back that was unpublished meanwhile', async () => {
	const owner = await publish();
	const tested = await place.trigger({ parameters: replace });
	await tested.activate('manual');
	await owner.deactivate();
	await tested.deactivate('manual');

	expect((await config())?.is_active).toBe(false);
});

test('what a publication with Replace could not put back when its last step failed comes back when n8n ends it', async () => {
	const trigger = await place.trigger({ parameters: replace });
	await place.service.control.configure({ sample: { sent: 'never' } });
	await api('POST', '/webhooks', elsewhere);
	const published = trigger.activate();
	await eventually(config, (now) => now?.url.includes('?check=') === true);
	const fault = { kind: 'status', status: 400, times: 'always', operationId: 'webhook.set' } as const;
	await place.service.control.addFault(fault);
	await expect(published).rejects.toThrow();
	expect((await config())?.url).toContain('?check=');
	await place.service.control.clearFaults();

	await trigger.deactivate();

	expect(await config()).toEqual(pointsElsewhere);
});
