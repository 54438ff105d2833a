import type { INodeParameters } from 'n8n-workflow';

import { withLegacyExpressions } from '../support/n8n/environment';
import { messagingChannelTrigger, workflow } from '../support/n8n/workflow';
import type { Dialect } from '../support/service/core/dialects';
import { callerOf } from '../support/service/testing';
import {
	KILLS,
	MESSAGES,
	publishAnswering,
	publishListening,
	REPEATED_AT_MOST,
	textsThatRan,
	TIMEOUT_MS,
	untilAllRan,
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

test.each<[Dialect, INodeParameters]>([
	['numbers', { listen: 'webhook' }],
	['database', { listen: 'poll', pollInterval: 5 }],
])('a service that writes like %s is understood', async (dialect, listening) => {
	await world.service.control.configure({ dialect });
	const options = { chats: '+90 555 111 22 33', chatType: 'individual' };
	ids = [await publishAnswering(world, dialect, { ...listening, options }, 0)];

	for (const message of [
		{ from: '905551112233', body: 'Own', fromMe: true },
		{ from: '905554445566', body: 'Of another chat' },
		{ from: '905551112233', body: 'Hello' },
	])
		await world.service.control.incomingMessage(message);

	expect(await untilAllRan(world, dialect, ['Hello'])).toEqual({ notRun: [], repeated: 0 });
	expect(await textsThatRan(world, dialect)).toEqual(['Hello']);
});

test('listening for a test event ends with the latest message, also when n8n polls', async () => {
	const { n8n, service, credential } = world;
	await service.control.incomingMessage({ from: '905551112233', body: 'Hello' });
	const parameters = { listen: 'poll', events: ['message.received'] };
	const { id } = await n8n.api.createWorkflow(
		workflow('Listens', [messagingChannelTrigger(parameters, credential)]),
	);
	ids = [id];

	await n8n.api.listenForTestEvent(id);

	const [execution] = await n8n.api.waitForExecutions(id, 1);
	expect(execution).toMatchObject({ status: 'success', mode: 'manual' });
	expect(execution?.items(TRIGGER)[0]?.json).toMatchObject({ fetched: true, message: { body: 'Hello' } });
	expect((await callerOf(() => service)('GET', '/webhooks')).status).toBe(404);
});
