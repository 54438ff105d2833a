import type { INodeParameters } from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';

import { messagingChannel, messagingChannelTrigger, workflow } from '../support/n8n/workflow';
import { callerOf, eventually } from '../support/service/testing';
import { removeTrigger, TRIGGER } from '../support/world/triggerWorld';
import { startWorld, type World } from '../support/world/world';

/** More by environment variable: they take minutes. */
const MESSAGES = Number(process.env.MISSED_MESSAGES ?? 60);
const KILLS = Number(process.env.MISSED_KILLS ?? 1);

let world: World;
let id: string;

beforeAll(async () => {
	world = await startWorld();
});
afterAll(async () => await world?.stop());
afterEach(async () => {
	await removeTrigger(world, id);
	await world.service.control.reset();
});

/** A workflow whose runs take about a second, and whose last node leaves the message's text at the service. */
const publish = async (parameters: INodeParameters) => {
	const { n8n, service, credential } = world;
	await service.control.addFault({
		operationId: 'account.getHealth',
		kind: 'delay',
		ms: 800,
		times: 'always',
	});
	const created = await n8n.api.createWorkflow(
		workflow('Answers', [
			messagingChannelTrigger({ events: ['message.received'], ...parameters }, credential),
			messagingChannel('Takes time', { resource: 'account', operation: 'getHealth' }, credential),
			messagingChannel(
				'Answers',
				{ resource: 'tag', operation: 'create', name: `={{ $('${TRIGGER}').item.json.message.body }}` },
				credential,
			),
		]),
	);
	id = created.id;
	await n8n.api.activate(id);
};

/** How often the workflow ran to its end, by the text of the message. */
const runsByText = async () => {
	const runs = new Map<string, number>();
	for (const { body } of await world.service.control.requests({
		operationId: 'tag.create',
		accepted: true,
	})) {
		const { name } = body as { name: string };
		runs.set(name, (runs.get(name) ?? 0) + 1);
	}
	return runs;
};
const texts = Array.from({ length: MESSAGES }, (_, index) => `message ${index}`);
const write = async (text: string, index: number) =>
	await world.service.control.incomingMessage({ from: `90555${1_000_000 + (index % 40)}`, body: text });

describe.each<[string, INodeParameters]>([
	['polling', { listen: 'poll', pollInterval: 5 }],
	['the webhook, and a service that delivers once', {}],
])('with %s', (_, parameters) => {
	test('each message runs to its end, however often n8n is killed', async () => {
		await publish(parameters);
		await world.service.control.setRedelivery({ maxAttempts: 1, backoffMs: 100 });
		for (const [index, text] of texts.entries()) {
			await write(text, index);
			await sleep(50);
			if ((index + 1) % Math.ceil(MESSAGES / (KILLS + 1)) > 0 || index + 1 === MESSAGES) continue;
			await eventually(runsByText, ({ size }) => size > 0);
			await world.n8n.kill();
			await world.n8n.restart();
		}

		const deadline = Date.now() + 480_000;
		let runs = await runsByText();
		for (; runs.size < MESSAGES && Date.now() < deadline; runs = await runsByText()) await sleep(500);

		expect(texts.filter((text) => !runs.has(text))).toEqual([]);
		const twice = [...runs.values()].filter((count) => count > 1).length;
		console.log(`${MESSAGES} messages, ${KILLS} kills: ${twice} ran more than once`);
		// Those that ended in the last second before a kill, and those that were running.
		expect(twice).toBeLessThanOrEqual(20 * KILLS);
	});
});

test('listening for a test event ends with the latest message, also when n8n polls', async () => {
	const { n8n, service, credential } = world;
	await service.control.incomingMessage({ from: '905551112233', body: 'Hello' });
	const parameters = { listen: 'poll', events: ['message.received'] };
	({ id } = await n8n.api.createWorkflow(
		workflow('Listens', [messagingChannelTrigger(parameters, credential)]),
	));

	await n8n.api.listenForTestEvent(id);

	const [execution] = await n8n.api.waitForExecutions(id, 1);
	expect(execution).toMatchObject({ status: 'success', mode: 'manual' });
	expect(execution?.items(TRIGGER)[0]?.json).toMatchObject({ fetched: true, message: { body: 'Hello' } });
	expect((await callerOf(() => service)('GET', '/webhooks')).status).toBe(404);
});
