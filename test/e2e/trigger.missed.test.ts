import type { INodeParameters } from 'n8n-workflow';

import { messagingChannelTrigger, workflow } from '../support/n8n/workflow';
import { callerOf } from '../support/service/testing';
import {
	KILLS,
	MESSAGES,
	publishAnswering,
	textsOf,
	untilAllRan,
	writeWhile,
} from '../support/world/missedMessages';
import { removeTrigger, TRIGGER } from '../support/world/triggerWorld';
import { startWorld, type World } from '../support/world/world';

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

describe.each<[string, INodeParameters]>([
	['polling', { listen: 'poll', pollInterval: 5 }],
	['the webhook, and a service that delivers once', {}],
])('with %s', (name, parameters) => {
	test('each message runs to its end, however often n8n is killed', async () => {
		id = await publishAnswering(world, parameters, 800);
		await world.service.control.setRedelivery({ maxAttempts: 1, backoffMs: 100 });
		const texts = textsOf(MESSAGES);
		await writeWhile(world, texts, async () => {
			await world.n8n.kill();
			await world.n8n.restart();
		});

		const { notRun, twice } = await untilAllRan(world, texts);

		console.log(`with ${name}: ${MESSAGES} messages, ${KILLS} kills: ${twice} ran more than once`);
		expect(notRun).toEqual([]);
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
