import { withLegacyExpressions } from '../support/n8n/environment';
import { nightly, sampled } from '../support/nightly';
import { QUICK_RECOVERY } from '../support/cluster/cluster';
import { poll } from '../support/poll';
import { atATime, events, shuffled } from '../support/world/load';
import { activateTrigger, removeTrigger, TRIGGER } from '../support/world/triggerWorld';
import {
	countByEvent,
	settledRuns,
	startQueueWorld,
	type QueueWorld,
	type Run,
} from '../support/cluster/queueWorld';

// Each wait has an end of its own, which says what did not happen.
jest.setTimeout(2_400_000);

const EVENTS = sampled(200, 5_000);

let world: QueueWorld;
let id: string;

beforeAll(async () => {
	world = await startQueueWorld({
		env: { ...withLegacyExpressions, ...QUICK_RECOVERY },
	});
	await world.service.control.setRedelivery({ maxAttempts: 13, backoffMs: 80 });
});
afterAll(async () => await world?.stop());
beforeEach(async () => {
	id = await activateTrigger(world);
});
afterEach(async () => void (world && (await removeTrigger(world, id))));

/** What was delivered, and what n8n did with it. */
interface Aftermath {
	/** Runs that went through. */
	ran: Run[];
	/** Runs that ended at the trigger, because the event had run already. */
	recognized: number;
	/** Runs that n8n shows as crashed, with what they were started with: they can be retried. */
	crashed: Run[];
	/** Runs that n8n shows as failed, after it has thrown away what they were started with. */
	emptied: Run[];
	/** Events that did not run, out of all. */
	notRun: string[];
	/** Events that ran more than once. */
	ranTwice: string[];
}

/** Has each event delivered three times and breaks something when n8n has stored a third of them. */
async function deliverWhile(prefix: string, breakSomething: () => Promise<void>): Promise<Aftermath> {
	const { control } = world.service;
	const all = events(prefix, EVENTS);
	await atATime(50, shuffled(all, 3), async ({ eventId, body }) => {
		await control.emitEvent({ event: 'message.received', eventId, body: JSON.parse(body) as unknown });
	});
	await poll(async () => (await stored()) >= EVENTS / 3, {
		timeoutMs: 300_000,
		failure: 'n8n stored less than a third of the events',
	});
	await breakSomething();
	await control.idle({ timeoutMs: 600_000 });
	const deliveries = (await control.deliveries()).filter(({ eventId }) => eventId.startsWith(`${prefix}-`));
	expect(deliveries.filter(({ delivered }) => !delivered)).toEqual([]);

	const runs = await settledRuns(world, id, prefix);
	const ran = runs.filter(({ status, eventId }) => status === 'success' && eventId !== null);
	const counts = countByEvent(ran);
	const aftermath: Aftermath = {
		ran,
		recognized: runs.filter(({ status, eventId }) => status === 'success' && eventId === null).length,
		crashed: runs.filter(({ status }) => status === 'crashed'),
		emptied: runs.filter(({ status }) => status === 'error'),
		notRun: all.map(({ eventId }) => eventId).filter((eventId) => !counts.has(eventId)),
		ranTwice: [...counts].filter(([, count]) => count > 1).map(([eventId]) => eventId),
	};
	console.log(
		`${prefix} broken: ${counts.size} of ${EVENTS} events ran, ${aftermath.ranTwice.length} of them twice; ` +
			`${aftermath.recognized} copies ended at the trigger; ${aftermath.crashed.length} runs crashed, ` +
			`${aftermath.emptied.length} were emptied by n8n`,
	);
	return aftermath;
}

async function stored(): Promise<number> {
	const [row] = await world.cluster.postgres.query<{ count: string }>(
		'SELECT count(*) FROM execution_entity WHERE "workflowId" = $1',
		[id],
	);
	return Number(row?.count);
}

/**
 * Retries what crashed, as a person would who looks at the list of executions, and returns the events that then ran. n8n
 * may empty a run some seconds after it has marked it as crashed; there is nothing to retry then.
 */
async function retry(crashed: Run[]): Promise<string[]> {
	const events: string[] = [];
	for (const { id: executionId, eventId } of crashed) {
		const again = async () => await world.n8n.api.retryExecution(String(executionId));
		// While a worker has not noticed that its connection to PostgreSQL is gone, n8n may never answer.
		const execution = await again().catch(async (error: Error & { cause?: Error }) => {
			if (error.cause?.name !== 'TimeoutError') throw error;
			return await again();
		});
		const ran = execution.items(TRIGGER).map(({ json }) => String(json.event_id));
		if (execution.status === 'success') expect(ran).toEqual([eventId]);
		events.push(...ran);
	}
	return events;
}

/**
 * Each event ran, or is in n8n's list of failed executions. Where n8n keeps what a run was started with, a retry brings
 * it through; a run whose job failed in the queue is emptied by n8n (2.41.1), and only its number can be checked.
 */
async function expectNothingLost({ crashed, emptied, notRun }: Aftermath): Promise<void> {
	const retried = new Set(await retry(crashed));
	const emptiedLater = crashed.filter(({ eventId }) => eventId && !retried.has(eventId)).length;
	const lost = notRun.filter((eventId) => !retried.has(eventId));
	expect(lost.length).toBeLessThanOrEqual(emptied.length + emptiedLater);
}

const workerConcurrency = 10;

test('a worker that is killed cuts off what it was running, and nothing else', async () => {
	const { workers } = world.cluster;
	const [killed] = workers;
	try {
		const aftermath = await deliverWhile('worker', async () => await killed?.kill());
		await expectNothingLost(aftermath);
		expect(aftermath.ranTwice).toEqual([]);
		// n8n's recovery of the queue also ends what is stored and not queued yet, which no worker has begun.
		const cutOff = [...aftermath.crashed, ...aftermath.emptied].filter(({ id: executionId }) =>
			workers.some((worker) => worker.logs().includes(`started execution ${executionId} `)),
		);
		expect(cutOff.length).toBeLessThanOrEqual(workerConcurrency);
	} finally {
		await killed?.start();
	}
});

nightly.test('a webhook processor that is killed loses nothing that it acknowledged', async () => {
	const [processor] = world.cluster.webhookProcessors;
	const aftermath = await deliverWhile('processor', async () => {
		await processor?.kill();
		await processor?.start();
	});
	await expectNothingLost(aftermath);
	expect(aftermath.emptied).toEqual([]);
});

nightly.test('Redis that crashes and comes back loses nothing that was acknowledged', async () => {
	const { redis } = world.cluster;
	const aftermath = await deliverWhile('redis', async () => {
		await redis.kill();
		await redis.start();
	});
	await expectNothingLost(aftermath);
});

test('PostgreSQL that crashes and comes back loses nothing that was acknowledged', async () => {
	const { postgres } = world.cluster;
	const aftermath = await deliverWhile('postgres', async () => {
		await postgres.kill();
		await postgres.start();
	});
	await expectNothingLost(aftermath);
});
