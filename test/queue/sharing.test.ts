import { atATime, events, shuffled } from '../support/world/load';
import { activateTrigger } from '../support/world/triggerWorld';
import { countByEvent, settledRuns, startQueueWorld, type QueueWorld } from '../support/cluster/queueWorld';

jest.setTimeout(900_000);

const EVENTS = Number(process.env.QUEUE_EVENTS ?? 1_000);

let world: QueueWorld;

beforeAll(async () => {
	// The older expression engine, which most of a delivery's cost is not spent in: the same checks in a third of the time.
	world = await startQueueWorld({ env: { N8N_EXPRESSION_ENGINE: 'legacy' } });
	await world.service.control.setRedelivery({ maxAttempts: 13, backoffMs: 80 });
});
afterAll(async () => await world?.stop());

test('three workflows that share the webhook run each event once, whichever process receives it', async () => {
	const ids = [await activateTrigger(world), await activateTrigger(world), await activateTrigger(world)];
	const { control } = world.service;
	const started = Date.now();
	await atATime(50, shuffled(events('shared', EVENTS), 2), async ({ eventId, body }) => {
		await control.emitEvent({ event: 'message.received', eventId, body: JSON.parse(body) as unknown });
	});
	await control.idle({ timeoutMs: 600_000 });
	const deliveries = (await control.deliveries()).filter(({ eventId }) => eventId.startsWith('shared-'));
	expect(deliveries.filter(({ delivered }) => !delivered)).toEqual([]);

	for (const id of ids) {
		const runs = await settledRuns(world, id, 'shared');
		const ran = runs.filter(({ eventId }) => eventId !== null);
		expect(countByEvent(ran).size).toBe(EVENTS);
		expect(ran).toHaveLength(EVENTS);
		expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['success']));
	}
	console.log(`${3 * EVENTS} runs after ${((Date.now() - started) / 1000).toFixed(0)} s`);
});
