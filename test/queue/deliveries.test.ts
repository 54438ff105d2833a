import { setTimeout as sleep } from 'node:timers/promises';

import { countByEvent, settledRuns, startQueueWorld, type QueueWorld } from '../support/cluster/queueWorld';
import { withLegacyExpressions } from '../support/n8n/environment';
import { eventually } from '../support/service/testing';
import { atATime, events, shuffled } from '../support/world/load';
import { activateTrigger, deliver, messageBody, removeTrigger } from '../support/world/triggerWorld';

jest.setTimeout(900_000);

const EVENTS = Number(process.env.QUEUE_EVENTS ?? 5_000);
const SHARED_EVENTS = Math.min(Math.floor(EVENTS / 2), 1_000);

let world: QueueWorld;
const ids: string[] = [];

beforeAll(async () => {
	world = await startQueueWorld({ env: withLegacyExpressions });
});
afterAll(async () => await world?.stop());
afterEach(async () => {
	for (const id of ids.splice(0)) await removeTrigger(world, id);
});

/** Publishes a trigger until the end of the test. */
async function publish(): Promise<string> {
	const id = await activateTrigger(world);
	ids.push(id);
	return id;
}

test('each event runs once, however often and however close together it is delivered', async () => {
	const id = await publish();
	const started = Date.now();
	const statuses = new Map<number | null, number>();
	await atATime(50, shuffled(events('event', EVENTS), 3), async (event) => {
		const { status } = await deliver(world, event);
		statuses.set(status, (statuses.get(status) ?? 0) + 1);
	});
	const seconds = (Date.now() - started) / 1000;
	const runs = await settledRuns(world, id, 'event');
	console.log(
		`${3 * EVENTS} deliveries in ${seconds.toFixed(0)} s, ${((3 * EVENTS) / seconds).toFixed(0)} per second; ` +
			`all ran after ${((Date.now() - started) / 1000).toFixed(0)} s`,
	);
	expect([...statuses]).toEqual([[200, 3 * EVENTS]]);
	expect(countByEvent(runs).size).toBe(EVENTS);
	expect(runs).toHaveLength(EVENTS);
	expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['success']));
});

test('three workflows that share the webhook run each event once, whichever process receives it', async () => {
	const workflows = [await publish(), await publish(), await publish()];
	const { control } = world.service;
	await control.setRedelivery({ maxAttempts: 13, backoffMs: 80 });
	const started = Date.now();
	await atATime(50, shuffled(events('shared', SHARED_EVENTS), 2), async ({ eventId, body }) => {
		await control.emitEvent({ event: 'message.received', eventId, body: JSON.parse(body) as unknown });
	});
	await control.idle({ timeoutMs: 600_000 });
	const deliveries = (await control.deliveries()).filter(({ eventId }) => eventId.startsWith('shared-'));
	expect(deliveries.filter(({ delivered }) => !delivered)).toEqual([]);

	for (const id of workflows) {
		const runs = await settledRuns(world, id, 'shared');
		const ran = runs.filter(({ eventId }) => eventId !== null);
		expect(countByEvent(ran).size).toBe(SHARED_EVENTS);
		expect(ran).toHaveLength(SHARED_EVENTS);
		expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['success']));
	}
	console.log(`${3 * SHARED_EVENTS} runs after ${((Date.now() - started) / 1000).toFixed(0)} s`);
});

test('a message that one of two webhook processors refused while the workflow was published runs, whoever had the sample', async () => {
	const { control } = world.service;
	const url = async () => (await control.webhook()).config?.url ?? '';
	await control.addFault({ operationId: 'webhook.test', kind: 'hold', when: 'after' });
	const publishing = publish();
	const check = await eventually(
		async () => {
			await sleep(5);
			return await url();
		},
		(now) => now.includes('?check='),
	);
	// One of them gets the sample from nginx; each gets a message of its own.
	const messages = world.cluster.webhookProcessors.map(({ port }, index) => {
		const to = (address: string) => Object.assign(new URL(address), { port: String(port) }).href;
		return { to, event: { eventId: `message-${index}`, body: messageBody() } };
	});

	const first = await Promise.all(
		messages.map(async ({ to, event }) => await deliver(world, { ...event, url: to(check) })),
	);
	await control.clearFaults();
	const id = await publishing;
	const address = await url();
	const again = await Promise.all(
		messages.map(async ({ to, event }) => await deliver(world, { ...event, url: to(address) })),
	);

	expect(first.map(({ status }) => status)).toEqual([503, 503]);
	expect(again.map(({ status }) => status)).toEqual([200, 200]);
	const runs = await settledRuns(world, id, 'message');
	expect(runs.map(({ eventId }) => eventId).sort()).toEqual(['message-0', 'message-1']);
});
