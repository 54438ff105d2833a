import type { ExecutionStatus, IDataObject } from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';

import { withLegacyExpressions } from '../support/n8n/environment';
import { sampled } from '../support/nightly';
import type { Execution } from '../support/n8n/execution';
import type { DeliveryAttempt } from '../support/service/core/webhookDelivery';
import { eventually, poll } from '../support/poll';
import { queryRows, runSql } from '../support/world/database';
import { describeWhere } from '../support/world/describeWhere';
import { atATime, events, shuffled } from '../support/world/load';
import { activateTrigger, removeTrigger, TRIGGER, untilRemembered } from '../support/world/triggerWorld';
import { startWorld, type World } from '../support/world/world';

let world: World;
let id: string;

beforeAll(async () => {
	world = await startWorld({ env: withLegacyExpressions });
});
afterAll(async () => await world?.stop());

/** Publishes the trigger, to which the service delivers for five minutes, long after n8n is back. */
const publish = async (combineEvents: string) => {
	id = await activateTrigger(world, { options: { combineEvents, silence: 0.5 } });
	await world.service.control.setRedelivery({ maxAttempts: 13, backoffMs: 80 });
};
afterEach(async () => void (world && (await removeTrigger(world, id))));

interface Listed {
	id: number;
	status: ExecutionStatus;
	/** Null before it begins. */
	startedAt: string | null;
}

/** From n8n's database: its list sorts by the start and pages by the ID, so it skips some where others began late. */
const listed = async () =>
	await queryRows<Listed>(
		world.n8n,
		'SELECT id, status, startedAt FROM execution_entity WHERE workflowId = ?',
		id,
	);

/** How many events each test delivers. */
const EVENTS = sampled(200, 1_000);

const SETTLE_MS = 240_000;

// Each wait has an end of its own, which says what did not happen.
jest.setTimeout(1_800_000);

/** n8n 2.41 never repairs an execution that was killed before its first node began: it stays in the list as running. */
const isLeftRunning = ({ status, startedAt }: Listed, killedAt: number) =>
	status === 'running' && Date.parse(`${startedAt}Z`) < killedAt;

/** Waits until no execution is under way and none has been added for a moment. */
async function settled(killedAt = 0): Promise<Execution[]> {
	const isUnderWay = (execution: Listed) =>
		['new', 'running'].includes(execution.status) && !isLeftRunning(execution, killedAt);
	let found = await listed();
	for (const deadline = Date.now() + SETTLE_MS; Date.now() < deadline;) {
		await sleep(400);
		const known = found.length;
		found = await listed();
		if (found.length > known || found.some(isUnderWay)) continue;
		const executions: Execution[] = [];
		await atATime(10, found, async ({ id: executionId }) => {
			executions.push(await world.n8n.api.execution(String(executionId)));
		});
		return executions;
	}
	const left = JSON.stringify(found.filter(isUnderWay).slice(0, 5));
	throw new Error(`${found.length} executions, and after ${SETTLE_MS / 1000} s there are under way: ${left}`);
}

/** The events in an item of the trigger, which can stand for all messages of a chat. */
function eventIdsIn({ event_id, event_ids }: IDataObject): string[] {
	const ids: unknown = event_ids;
	return Array.isArray(ids) ? ids.map(String) : [String(event_id)];
}

/**
 * The events that an execution was started with, also when n8n was killed. If its first node had run by then, n8n puts an
 * item without events in the place of what the node put out.
 */
function eventIdsOf({ raw }: Execution): string[] {
	const ran = raw.resultData.runData[TRIGGER]?.at(-1)?.data?.main?.[0] ?? [];
	const waiting = raw.executionData?.nodeExecutionStack?.[0]?.data.main?.[0] ?? [];
	const isLost = ran.length === 0 || ran.some(({ json }) => json.isArtificialRecoveredEventItem);
	return (isLost ? waiting : ran).flatMap(({ json }) => eventIdsIn(json));
}

/** How often each event ran, by its id. Runs that ended at the trigger are not counted. */
function runsOf(executions: Execution[]): Map<string, number> {
	const runs = new Map<string, number>();
	for (const execution of executions) {
		for (const eventId of execution.items(TRIGGER).flatMap(({ json }) => eventIdsIn(json)))
			runs.set(eventId, (runs.get(eventId) ?? 0) + 1);
	}
	return runs;
}

/** Modes in which n8n stores one event in an execution, or several, and the number of executions after which it is killed. */
const MODES: Array<[mode: string, halfWay: number]> = [
	['never', EVENTS / 4],
	['perChat', 3],
];

/** n8n's 200 to everything while it starts, also to events: docs/trigger.md, "While n8n starts". No node can be asked then. */
const isStartPage = ({ responseBody }: DeliveryAttempt) => responseBody === 'n8n is starting up. Please wait';

/** Kills n8n in the middle of the events and brings it back; what was over before must not run again. */
async function killHalfWay(mode: string, executionsHalfWay: number) {
	await publish(mode);
	const { control } = world.service;
	const emit = async ({ eventId, body }: { eventId: string; body: string }) => {
		await control.emitEvent({ event: 'message.received', eventId, body: JSON.parse(body) as unknown });
	};
	const early = events(`early-${mode}`, EVENTS / 5);
	await atATime(50, early, emit);
	await control.idle();
	const before = await settled();
	await untilRemembered(world, id, early.length);

	const all = [...early, ...events(`late-${mode}`, EVENTS - early.length)];
	await atATime(50, shuffled(all, 3, 2), emit);
	await poll(async () => (await listed()).length >= before.length + executionsHalfWay, {
		timeoutMs: 300_000,
		failure: 'fewer executions than half of the events',
	});
	await world.n8n.kill();
	const killedAt = Date.now();
	await world.n8n.restart();
	await control.idle({ timeoutMs: 280_000 });

	const ids = all.map(({ eventId }) => eventId);
	const deliveries = (await control.deliveries()).filter(({ eventId }) => ids.includes(eventId));
	expect(deliveries.filter(({ delivered }) => !delivered)).toEqual([]);
	const taken = deliveries.filter(({ attempts }) => !attempts.some(isStartPage));
	const takenOnce = new Set(taken.map(({ eventId }) => eventId));
	const cameBefore = (attempts: DeliveryAttempt[]) =>
		attempts.some(({ at, status }) => status === 200 && at < killedAt);
	const cameAgain = new Set(
		taken.filter(({ attempts }) => !cameBefore(attempts)).map(({ eventId }) => eventId),
	);
	const executions = await settled(killedAt);
	const started = new Map<string, number>();
	const finished = new Set<string>();
	for (const execution of executions) {
		for (const eventId of eventIdsOf(execution)) {
			started.set(eventId, (started.get(eventId) ?? 0) + 1);
			if (execution.status === 'success') finished.add(eventId);
		}
	}
	const isAfterKill = ({ raw }: Execution) =>
		(raw.resultData.runData[TRIGGER]?.at(-1)?.startTime ?? 0) > killedAt;
	const runsAfterKill = runsOf(executions.filter(isAfterKill));
	const twice = ids.filter((eventId) => (started.get(eventId) ?? 0) > 1);
	// The second is what n8n left running.
	const wasCutOff = ({ status }: Execution) => status === 'crashed' || status === 'running';
	const crashed = executions.filter(wasCutOff).flatMap((execution) => eventIdsOf(execution)).length;
	const cutOff = ids.filter((eventId) => takenOnce.has(eventId) && !finished.has(eventId));
	console.log(
		`${mode}: ${cutOff.length} of ${EVENTS} events were cut off and came no more, ${twice.length} ran twice`,
	);
	// n8n had each of these, and the service had no reason to deliver it again.
	expect(cutOff.filter((eventId) => cameAgain.has(eventId))).toEqual([]);
	// What n8n had stored but not begun, it begins after its restart, just when the service delivers it again.
	expect([...runsAfterKill.values()].filter((count) => count > 1)).toEqual([]);
	expect(twice.filter((eventId) => eventId.startsWith('early-'))).toEqual([]);
	expect(ids.filter((eventId) => (started.get(eventId) ?? 0) > 2)).toEqual([]);
	return { cutOff: cutOff.length, crashed };
}

describe('n8n killed half-way', () => {
	describeWhere(
		'storingBeforeAnswering',
		() => {
			test.each(MODES.slice(0, sampled(1, 2)))(
				'loses nothing that it acknowledged and runs twice only what it was not done with (%s)',
				async (mode, halfWay) => {
					const { cutOff, crashed } = await killHalfWay(mode, halfWay);
					expect(cutOff).toBeLessThanOrEqual(crashed);
				},
			);
		},
		() => {
			test('runs twice only what it was not done with', async () => {
				const { cutOff } = await killHalfWay('never', EVENTS / 4);
				expect(cutOff).toBeGreaterThan(0);
			});
		},
	);
});

/** Keeps n8n from storing executions, as a full disk does, until the end of what this returns. */
async function failDatabase(): Promise<() => Promise<void>> {
	const inEach = async (statementFor: (table: string) => string) =>
		await runSql(world.n8n, ['execution_entity', 'execution_data'].map(statementFor).join(';'));
	await inEach(
		(table) =>
			`CREATE TRIGGER fail_${table} BEFORE INSERT ON ${table}
			 BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`,
	);
	return async () => await inEach((table) => `DROP TRIGGER fail_${table}`);
}

/** What events are answered, during half of which the database fails, and how often each of them ran. */
async function sendWhileDatabaseFails(mode: string) {
	await publish(mode);
	const { control } = world.service;
	const all = events(`failing-${mode}`, EVENTS / 2.5);
	const quarter = all.length / 4;
	const emit = async (some: typeof all) => {
		for (const { eventId, body } of some) {
			await control.emitEvent({ event: 'message.received', eventId, body: JSON.parse(body) as unknown });
		}
	};
	const attempted = async () =>
		(await control.deliveries()).filter(
			({ eventId, attempts }) => eventId.startsWith(`failing-${mode}-`) && attempts.length > 0,
		);
	await emit(all.slice(0, quarter));
	await control.idle();
	const mend = await failDatabase();
	await emit(all.slice(quarter, 3 * quarter));
	await eventually(attempted, ({ length }) => length === 3 * quarter);
	await mend();
	await emit(all.slice(3 * quarter));
	// What failed often is delivered again minutes later.
	await control.idle({ timeoutMs: 400_000 });
	const attempts = (await attempted()).flatMap((delivery) => delivery.attempts.map(({ status }) => status));
	const executions = await settled();
	const runs = runsOf(executions.filter(({ status }) => status === 'success'));
	console.log(
		`${attempts.filter((status) => status !== 200).length} of ${attempts.length} attempts failed; ${executions.length} executions`,
	);
	return { all, attempts, runs };
}

describe('a database that fails for a while', () => {
	describeWhere(
		'storingBeforeAnswering',
		() => {
			test.each(MODES)('events get 5xx, are delivered again and run once (%s)', async (mode) => {
				const { all, attempts, runs } = await sendWhileDatabaseFails(mode);
				// With several in an execution, the one that was to start it gets 500, the others 503.
				const failures = mode === 'never' ? [500] : [500, 503];
				expect(new Set(attempts)).toEqual(new Set([200, ...failures]));
				expect([...runs.keys()].sort()).toEqual(all.map(({ eventId }) => eventId).sort());
				expect([...runs.values()].filter((count) => count !== 1)).toEqual([]);
			});
		},
		() => {
			test('events get 200 and are lost, and the others run once', async () => {
				const { all, attempts, runs } = await sendWhileDatabaseFails('never');
				expect(attempts).toEqual(all.map(() => 200));
				expect(runs.size).toBeLessThan(all.length);
				expect([...runs.values()].filter((count) => count !== 1)).toEqual([]);
			});
		},
	);
});
