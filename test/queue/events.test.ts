import { atATime, events, shuffled } from '../support/world/load';
import { activateTrigger, deliver } from '../support/world/triggerWorld';
import { countByEvent, settledRuns, startQueueWorld, type QueueWorld } from '../support/cluster/queueWorld';

jest.setTimeout(900_000);

const EVENTS = Number(process.env.QUEUE_EVENTS ?? 5_000);

let world: QueueWorld;

beforeAll(async () => {
	// The older expression engine, which most of a delivery's cost is not spent in: the same checks in a third of the time.
	world = await startQueueWorld({ env: { N8N_EXPRESSION_ENGINE: 'legacy' } });
});
afterAll(async () => await world?.stop());

test('each event runs once, however often and however close together it is delivered', async () => {
	const id = await activateTrigger(world);
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
