import { withLegacyExpressions } from '../support/n8n/environment';
import { messagingChannelTrigger, workflow } from '../support/n8n/workflow';
import { callerOf } from '../support/service/testing';
import {
	KILLS,
	MESSAGES,
	publishListening,
	REPEATED_AT_MOST,
	TIMEOUT_MS,
	writeWhileBreaking,
} from '../support/world/missedMessages';
import { removeTrigger, TRIGGER } from '../support/world/triggerWorld';
import { startWorld, type World } from '../support/world/world';

jest.setTimeout(2 * TIMEOUT_MS);

let world: World;
let ids: string[] = [];

beforeAll(async () => {
	world = await startWorld({ env: withLegacyExpressions });
});
afterAll(async () => await world?.stop());
afterEach(async () => {
	for (const id of ids) await removeTrigger(world, id);
	await world.service.control.reset();
});

test('each message runs to its end by webhook and by polling, however often n8n is killed', async () => {
	ids = await publishListening(world);

	const outcomes = await writeWhileBreaking(world, async () => {
		await world.n8n.kill();
		await world.n8n.restart();
	});

	for (const [name, { notRun, repeated }] of Object.entries(outcomes)) {
		console.log(`${name}: ${MESSAGES} messages, ${KILLS} kills: ${repeated} ran again`);
		expect(notRun).toEqual([]);
		expect(repeated).toBeLessThanOrEqual(REPEATED_AT_MOST);
	}
});

test.each(['poll', 'webhook'])(
	'listening for a test event ends with the latest message (%s)',
	async (listen) => {
		const { n8n, service, credential } = world;
		await service.control.incomingMessage({ from: '905551112233', body: 'Hello' });
		const parameters = { listen, events: ['message.received'] };
		const { id } = await n8n.api.createWorkflow(
			workflow('Listens', [messagingChannelTrigger(parameters, credential)]),
		);
		ids = [id];

		await n8n.api.listenForTestEvent(id);

		const [execution] = await n8n.api.waitForExecutions(id, 1);
		expect(execution).toMatchObject({ status: 'success', mode: 'manual' });
		expect(execution?.items(TRIGGER)[0]?.json).toMatchObject({ fetched: true, message: { body: 'Hello' } });
		if (listen === 'poll') expect((await callerOf(() => service)('GET', '/webhooks')).status).toBe(404);
	},
);
