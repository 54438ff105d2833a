import { withLegacyExpressions } from '../support/n8n/environment';
import { atATime, events, shuffled } from '../support/world/load';
import { activateTrigger, deliver, messageBody, removeTrigger, TRIGGER } from '../support/world/triggerWorld';
import { settledRuns, startQueueWorld, type QueueWorld } from '../support/cluster/queueWorld';

jest.setTimeout(900_000);

const EVENTS = Math.min(Number(process.env.QUEUE_EVENTS ?? 500), 500);

let world: QueueWorld;

beforeAll(async () => {
	world = await startQueueWorld({ processorPer: 'account', env: withLegacyExpressions });
});
afterAll(async () => await world?.stop());

/** What the trigger put out in all executions of a workflow, one list for each. */
async function outputs(id: string) {
	const runs = await settledRuns(world, id, 'none');
	expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['success']));
	const executions = await Promise.all(
		runs.map(async (run) => await world.n8n.api.execution(String(run.id))),
	);
	return executions.map((execution) => execution.items(TRIGGER).map(({ json }) => json));
}

test('with Per Chat, the lines of each person meet, although two processors take events', async () => {
	const id = await activateTrigger(world, { options: { combineEvents: 'perChat', silence: 3 } });
	const people = Array.from({ length: 10 }, (_, person) => `90555111${1000 + person}@c.us`);
	const timestamp = Math.floor(Date.now() / 1000);
	const lines = people.flatMap((chat) =>
		[0, 1, 2, 3, 4].map((line) =>
			messageBody(
				{ from: chat, body: `${chat} ${line}`, timestamp: timestamp + line },
				{ chat: { id: chat, name: chat, phone: null, type: 'individual' } },
			),
		),
	);

	const attempts = await Promise.all(lines.map(async (body) => await deliver(world, { body })));

	expect(new Set(attempts.map(({ status }) => status))).toEqual(new Set([200]));
	const texts = (await outputs(id)).map(([item, ...others]) => {
		expect(others).toEqual([]);
		return item?.text;
	});
	expect(texts.sort()).toEqual(
		people.map((chat) => [0, 1, 2, 3, 4].map((line) => `${chat} ${line}`).join('\n')),
	);
	await removeTrigger(world, id);
});

test(`with When Busy, ${EVENTS} events that are delivered three times run once each, in few executions`, async () => {
	const id = await activateTrigger(world, { options: { combineEvents: 'whenBusy' } });
	const all = events('busy', EVENTS);
	const statuses = new Set<number | null>();

	await atATime(50, shuffled(all, 3), async (event) => {
		statuses.add((await deliver(world, event)).status);
	});

	expect([...statuses]).toEqual([200]);
	const runs = await outputs(id);
	const ran = runs.flat().map((json) => json.event_id);
	expect(ran.sort()).toEqual(all.map(({ eventId }) => eventId).sort());
	console.log(`${all.length} events, three times each, made ${runs.length} executions`);
	expect(runs.length).toBeLessThan(all.length / 2);
});
