import {
	createInFlightEvents,
	RETENTION_MS,
} from '../../../../nodes/MessagingChannel/trigger/deduplication/inFlightEvents';
import {
	createProcessedEvents,
	isDuplicateRun,
} from '../../../../nodes/MessagingChannel/trigger/deduplication/ranBefore';
import { newKeyStore } from '../../../support/engine/keyRow';

/** Long enough for what is remembered to be written. */
const written = async () => {
	for (let round = 0; round < 20; round++) await new Promise(setImmediate);
};

const NOW = Date.UTC(2030, 0, 31, 9);
let elapsed = 10 * RETENTION_MS;

/** A process of n8n that runs an event; its waits end at once. */
function startProcess(database = newKeyStore()) {
	const sleeps: number[] = [];
	const sleep = async (ms: number) => void sleeps.push(ms);
	const clock = { now: () => NOW, elapsed: () => elapsed, sleep };
	const inFlight = createInFlightEvents(clock);
	const processed = createProcessedEvents(clock, () => {});
	/** Runs it, in a process of this age in milliseconds. Resolves to whether it is a duplicate. */
	const run = async (
		executionId: string,
		age = 0,
		more: { key?: string; messageTimestamp?: number } = {},
	) => {
		const { key = 'id 1', messageTimestamp } = more;
		const event = { keys: [key], executionId, processStartedAt: elapsed - age, messageTimestamp };
		return await isDuplicateRun(event, { inFlight, processed }, database.store, clock);
	};
	/** The process receives the event. Returns what n8n says to it. */
	const receive = () => {
		const begun = inFlight.claim(['id 1']);
		return (wasAccepted: boolean) => begun.isNew && begun.settle(wasAccepted);
	};
	return { inFlight, run, sleeps, receive, row: database.row };
}

/** A process that has received the event, which n8n took. */
function startReceiver(database = newKeyStore()) {
	const process = startProcess(database);
	process.receive()(true);
	return process;
}

const OLD = 2 * RETENTION_MS;
/** How old a process is when it runs an event. */
const AGES: Array<[string, number]> = [
	['in the first minutes', 0],
	['later', OLD],
];

describe('an event that another process received', () => {
	test('runs once on a worker, however many executions it has', async () => {
		const { run } = startProcess();
		expect(await run('first')).toBe(false);
		expect(await run('second')).toBe(true);
		expect(await run('third', 0, { key: 'id 2' })).toBe(false);
	});

	test('is known by the other workers as soon as it is written, also when they are retried', async () => {
		const database = newKeyStore();
		const [one, other] = [startProcess(database), startProcess(database)];
		expect(await one.run('first')).toBe(false);
		await written();
		expect(one.sleeps[0]).toBe(250);
		expect(await other.run('second')).toBe(true);
		expect(await other.run('second')).toBe(true);
	});

	test('is recorded once more when another worker has overwritten the record', async () => {
		const { run, row } = startProcess();
		await run('first');
		row.keys = [];
		await written();
		expect(row.keys).toContain('known id 1');
	});

	test('gets some seconds to be recorded by a worker that has begun it', async () => {
		const database = newKeyStore();
		await database.store.record(['known id 1', 'open id 1']);
		const { run, sleeps } = startProcess(database);
		expect(await run('second')).toBe(false);
		expect(sleeps).toContain(4_500);
	});

	test('runs again in the same execution, as when the node is retried', async () => {
		const { run } = startProcess();
		expect(await run('first')).toBe(false);
		await written();
		expect(await run('first')).toBe(false);
	});

	test('is remembered in the process no longer than one that came in here', async () => {
		const { run, inFlight } = startProcess();
		await run('first');
		elapsed += RETENTION_MS + 1;
		expect(inFlight.isEmpty()).toBe(true);
	});

	test('runs when the database fails', async () => {
		const { run, row } = startProcess();
		row.isBroken = true;
		expect(await run('first')).toBe(false);
	});
});

describe('an event that this process received', () => {
	test.each(AGES)('is recorded when its run is stored, %s, and the next process drops it', async (_, age) => {
		const database = newKeyStore();
		const [last, current] = [startReceiver(database), startReceiver(database)];
		expect(await last.run('first', age)).toBe(false);
		await written();
		expect(last.sleeps).toContain(3_000);
		expect(await current.run('second')).toBe(true);
	});

	test.each([
		['is checked until the process has run longer than events repeat', RETENTION_MS, true],
		['needs no call after that', OLD, false],
	])('%s', async (_, age, isChecked) => {
		const { run, row } = startReceiver();
		expect(await run('first', age)).toBe(false);
		expect(row.calls > 0).toBe(isChecked);
	});

	test.each([
		['is looked up however late it is delivered, if its message is older than the process', -60, true],
		['is looked up if its message came in when the process started, by a clock that is ahead', 299, true],
		['needs no call if its message came in later', 300, false],
	])('%s', async (_, sinceStart, isLookedUp) => {
		const database = newKeyStore();
		await startProcess(database).run('first');
		await written();

		const messageTimestamp = (NOW - OLD) / 1000 + sinceStart;
		expect(await startReceiver(database).run('second', OLD, { messageTimestamp })).toBe(isLookedUp);
	});

	test.each(AGES)('runs again in the same execution, as when the node is retried, %s', async (_, age) => {
		const { run } = startReceiver();
		expect(await run('first', age)).toBe(false);
		await written();
		expect(await run('first', age)).toBe(false);
	});

	test.each(AGES)(
		'runs once, also when n8n had stored it before a restart and begins with it now, %s',
		async (_, age) => {
			const { run } = startReceiver();
			expect(await Promise.all([run('stored', age), run('delivered', age)])).toEqual([false, true]);
		},
	);

	test.each(AGES)('is not remembered when the service was told otherwise, %s', async (_, age) => {
		const { run, receive, row } = startProcess();
		const settle = receive();
		const running = run('first', age);
		settle(false);
		expect(await running).toBe(false);
		await written();
		expect(row.calls).toBe(0);
	});

	test('runs after five seconds, whatever the service was answered', async () => {
		jest.useFakeTimers();
		const { run, receive, row } = startProcess();
		receive();
		const ran = jest.fn();
		void run('first').then(ran);
		await jest.advanceTimersByTimeAsync(4_999);
		expect(ran).not.toHaveBeenCalled();
		await jest.advanceTimersByTimeAsync(1);
		jest.useRealTimers();
		expect(ran).toHaveBeenCalledWith(false);
		expect(row.calls).toBe(0);
	});
});
