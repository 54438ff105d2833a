import {
	createInFlightEvents,
	RETENTION_MS,
} from '../../../../nodes/MessagingChannel/trigger/deduplication/inFlightEvents';
import {
	createProcessedEvents,
	isDuplicateRun,
} from '../../../../nodes/MessagingChannel/trigger/deduplication/ranBefore';
import type { Row } from '../../../../nodes/MessagingChannel/n8n/journal/row';
import { newKeyStore } from '../../../support/engine/keyRow';

const NOW = Date.UTC(2030, 0, 31, 9);
let elapsed = 10 * RETENTION_MS;

/** A process of n8n that runs events; its waits end at once. */
function startProcess(store: Row) {
	const sleeps: number[] = [];
	const sleep = async (ms: number) => void sleeps.push(ms);
	const clock = { now: () => NOW, elapsed: () => elapsed, sleep };
	const inFlight = createInFlightEvents(clock);
	const processed = createProcessedEvents(clock, () => {});
	const run = async (eventId: string, executionId: string, ageMs = 0, messageTimestamp?: number) =>
		await isDuplicateRun(
			{ keys: [`id ${eventId}`], executionId, processStartedAt: elapsed - ageMs, messageTimestamp },
			{ inFlight, processed },
			store,
			clock,
		);
	return { inFlight, run, sleeps };
}

/** How old a process is when it runs an event, in milliseconds. */
const AGES: Array<[string, number]> = [
	['in the first minutes', 0],
	['later', 2 * RETENTION_MS],
];

/** Long enough for what is remembered to be written. */
const written = async () => {
	for (let round = 0; round < 20; round++) await new Promise(setImmediate);
};

describe('an event that another process received', () => {
	test('runs once on a worker, however many executions it has', async () => {
		const worker = startProcess(newKeyStore().store);
		expect(await worker.run('1', 'first')).toBe(false);
		expect(await worker.run('1', 'second')).toBe(true);
		expect(await worker.run('2', 'third')).toBe(false);
	});

	test('is known by the other workers as soon as it is written', async () => {
		const { store } = newKeyStore();
		const [one, other] = [startProcess(store), startProcess(store)];
		expect(await one.run('1', 'first')).toBe(false);
		await written();
		expect(await other.run('1', 'second')).toBe(true);
	});

	test('is recorded soon, as a copy may be on its way to another worker', async () => {
		const worker = startProcess(newKeyStore().store);
		await worker.run('1', 'first');
		await written();
		expect(worker.sleeps).toContain(250);
		expect(worker.sleeps).not.toContain(3_000);
	});

	test('is recorded once more when another worker has overwritten the record', async () => {
		const { row, store } = newKeyStore();
		const worker = startProcess(store);
		await worker.run('1', 'first');
		row.keys = [];
		await written();
		expect(row.keys).toContain('known id 1');
	});

	test('gets some seconds to be recorded by a worker that has begun it', async () => {
		const { store } = newKeyStore();
		await store.record(['known id 1', 'open id 1']);
		const worker = startProcess(store);
		expect(await worker.run('1', 'second')).toBe(false);
		expect(worker.sleeps).toContain(4_500);
	});

	test('runs again in the same execution, as when the node is retried', async () => {
		const worker = startProcess(newKeyStore().store);
		expect(await worker.run('1', 'first')).toBe(false);
		await written();
		expect(await worker.run('1', 'first')).toBe(false);
	});

	test('is remembered in the process no longer than one that came in here', async () => {
		const worker = startProcess(newKeyStore().store);
		await worker.run('1', 'first');
		elapsed += RETENTION_MS + 1;
		expect(worker.inFlight.isEmpty()).toBe(true);
	});

	test('runs when the database fails', async () => {
		const { row, store } = newKeyStore();
		row.isBroken = true;
		expect(await startProcess(store).run('1', 'first')).toBe(false);
	});
});

describe('an event that this process received', () => {
	const taken = (process: ReturnType<typeof startProcess>, eventId: string) => {
		const begun = process.inFlight.claim([`id ${eventId}`]);
		if (begun.isNew) begun.settle(true);
	};

	test('is a duplicate when the previous process has processed it', async () => {
		const { store } = newKeyStore();
		const [last, current] = [startProcess(store), startProcess(store)];
		taken(last, '1');
		expect(await last.run('1', 'first')).toBe(false);
		await written();
		taken(current, '1');
		expect(await current.run('1', 'second')).toBe(true);
	});

	test.each([0, 2 * RETENTION_MS])(
		'counts as done when its run is stored, in a process of %d ms',
		async (age) => {
			const process = startProcess(newKeyStore().store);
			taken(process, '1');
			await process.run('1', 'first', age);
			await written();
			expect(process.sleeps).toContain(3_000);
		},
	);

	test('needs no call once the process has run longer than events repeat', async () => {
		const { row, store } = newKeyStore();
		const process = startProcess(store);
		taken(process, '1');
		expect(await process.run('1', 'first', 2 * RETENTION_MS)).toBe(false);
		expect(row.calls).toBe(0);
	});

	test.each([
		['is looked up however late it is delivered, if its message is older than the process', -60, true],
		['is looked up if its message came in when the process started, by a clock that is ahead', 299, true],
		['needs no call if its message came in later', 300, false],
	])('%s', async (_, sinceStart, isLookedUp) => {
		const { store } = newKeyStore();
		const [last, current] = [startProcess(store), startProcess(store)];
		await last.run('1', 'first');
		await written();
		taken(current, '1');

		const timestamp = (NOW - 2 * RETENTION_MS) / 1000 + sinceStart;
		expect(await current.run('1', 'second', 2 * RETENTION_MS, timestamp)).toBe(isLookedUp);
	});

	test('is recorded all the same', async () => {
		const { store } = newKeyStore();
		const [last, current] = [startProcess(store), startProcess(store)];
		taken(last, '1');
		await last.run('1', 'first', 2 * RETENTION_MS);
		await written();
		taken(current, '1');
		expect(await current.run('1', 'second')).toBe(true);
	});

	test('is checked until the process has run longer than events repeat', async () => {
		const { row, store } = newKeyStore();
		const process = startProcess(store);
		taken(process, '1');
		await process.run('1', 'first', RETENTION_MS);
		expect(row.calls).toBeGreaterThan(0);
	});

	test.each(AGES)('runs again in the same execution, as when the node is retried, %s', async (_, age) => {
		const process = startProcess(newKeyStore().store);
		taken(process, '1');
		expect(await process.run('1', 'first', age)).toBe(false);
		await written();
		expect(await process.run('1', 'first', age)).toBe(false);
	});

	test.each(AGES)(
		'runs once, also when n8n had stored it before a restart and begins with it now, %s',
		async (_, age) => {
			const process = startProcess(newKeyStore().store);
			taken(process, '1');
			const runs = ['stored', 'delivered'].map(
				async (executionId) => await process.run('1', executionId, age),
			);
			expect(await Promise.all(runs)).toEqual([false, true]);
		},
	);

	test.each(AGES)('is not remembered when the service was told otherwise, %s', async (_, age) => {
		const { row, store } = newKeyStore();
		const process = startProcess(store);
		const begun = process.inFlight.claim(['id 1']);
		const running = process.run('1', 'first', age);
		if (begun.isNew) begun.settle(false);
		expect(await running).toBe(false);
		await written();
		expect(row.calls).toBe(0);
	});

	test('runs after five seconds, whatever the service was answered', async () => {
		jest.useFakeTimers();
		const { row, store } = newKeyStore();
		const process = startProcess(store);
		process.inFlight.claim(['id 1']);
		const ran = jest.fn();
		void process.run('1', 'first').then(ran);
		await jest.advanceTimersByTimeAsync(4_999);
		expect(ran).not.toHaveBeenCalled();
		await jest.advanceTimersByTimeAsync(1);
		jest.useRealTimers();
		expect(ran).toHaveBeenCalledWith(false);
		expect(row.calls).toBe(0);
	});
});

test('a duplicate stays one when the node is retried in the same execution', async () => {
	const { store } = newKeyStore();
	const [one, other] = [startProcess(store), startProcess(store)];
	expect(await one.run('1', 'first')).toBe(false);
	await written();
	expect(await other.run('1', 'second')).toBe(true);
	expect(await other.run('1', 'second')).toBe(true);
});
