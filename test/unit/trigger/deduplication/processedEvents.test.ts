import { createProcessedEvents } from '../../../../nodes/MessagingChannel/trigger/deduplication/ranBefore';
import type { Row } from '../../../../nodes/MessagingChannel/n8n/journal/row';
import { newKeyStore } from '../../../support/engine/keyRow';

/** A process of n8n, with events of its own, whose time passes when a test says so. */
function startProcess() {
	const sleeps: Array<{ over: number; wake: () => void }> = [];
	const failures: unknown[] = [];
	let time = 0;
	const clock = {
		elapsed: () => time,
		sleep: async (ms: number) => await new Promise<void>((wake) => sleeps.push({ over: time + ms, wake })),
	};
	const processed = createProcessedEvents(clock, (error) => failures.push(error));
	const keysOf = (id: string) => [`id ${id}`, `body ${id}`];
	const begin = async (keys: readonly string[], row: Row, doneWithinMs = 0) =>
		await processed.begin(keys, row, { isShared: false, doneWithinMs, recordAfterMs: 0 });
	const finish = (keys: readonly string[], row: Row, recordAfterMs: number) =>
		processed.finish(keys, row, { isShared: false, doneWithinMs: 0, recordAfterMs });
	const settled = async () => {
		for (let rounds = 0; rounds < 5; rounds++) await new Promise(setImmediate);
	};
	const pass = async (ms: number) => {
		for (const end = time + ms; ;) {
			await settled();
			const next = Math.min(...sleeps.map(({ over }) => over));
			if (next > end) {
				time = end;
				return;
			}
			time = next;
			const due = sleeps.filter(({ over }) => over <= time);
			for (const sleep of due) sleeps.splice(sleeps.indexOf(sleep), 1);
			for (const { wake } of due) wake();
		}
	};
	/** Asks, and lets the time pass that it takes. */
	const wasDone = async (id: string, { store }: { store: Row }) => {
		const answer = begin(keysOf(id), store);
		await pass(1_000);
		return await answer;
	};
	/** A row that takes its time. */
	const slow = ({ store }: { store: Row }, ms: number) =>
		({
			...store,
			record: async (keys: Iterable<string>) => {
				await clock.sleep(ms);
				return await store.record(keys);
			},
		}) satisfies Row;
	return { begin, finish, keysOf, pass, wasDone, slow, failures };
}

test('the next process recognizes a processed event by either key', async () => {
	const database = newKeyStore();
	const first = startProcess();
	expect(await first.wasDone('1', database)).toBe(false);
	first.finish(first.keysOf('1'), database.store, 500);
	await first.pass(1_000);
	const second = startProcess();
	expect(await second.wasDone('1', database)).toBe(true);
	expect(await second.wasDone('2', database)).toBe(false);
});

test('an event runs again each time that n8n was killed before it recorded the run', async () => {
	const database = newKeyStore();
	for (let times = 0; times < 4; times++) expect(await startProcess().wasDone('1', database)).toBe(false);
	const last = startProcess();
	expect(await last.wasDone('1', database)).toBe(false);
	last.finish(last.keysOf('1'), database.store, 500);
	expect(await startProcess().wasDone('1', database)).toBe(false);
	await last.pass(1_000);
	for (let times = 0; times < 4; times++) expect(await startProcess().wasDone('1', database)).toBe(true);
});

test('a recognized copy leaves the row as it was', async () => {
	const { row, store } = newKeyStore();
	const first = startProcess();
	first.finish(first.keysOf('1'), store, 500);
	await first.pass(1_000);
	const keys = [...row.keys];
	expect(await startProcess().wasDone('1', { store })).toBe(true);
	expect(row.keys).toEqual(keys);
});

test('an event of which n8n drops a key from a full row is no more done than before', async () => {
	const { row, store } = newKeyStore();
	const first = startProcess();
	await first.wasDone('1', { store });
	while (row.keys.length > 0) {
		const before = [...row.keys];
		expect(await startProcess().wasDone('1', { store })).toBe(false);
		row.keys = before.slice(1);
	}
});

test('a burst is checked and recorded in a few calls, never two at once, and loses nothing', async () => {
	const { row, store } = newKeyStore();
	const first = startProcess();
	const events = Array.from({ length: 200 }, (_, index) => first.keysOf(String(index)));
	await Promise.all(events.map(async (copy) => await first.begin(copy, store)));
	for (const copy of events) first.finish(copy, store, 500);
	await first.pass(1_000);
	expect(first.failures).toEqual([]);
	// The lookup, the record, and the removal of what was recorded as running.
	expect(row.calls).toBe(3);
	const second = startProcess();
	const known = await Promise.all(
		events.map(async (_, index) => await second.begin(second.keysOf(String(index)), store)),
	);
	expect(known).toEqual(Array(200).fill(true));
});

test('a failing database lets the event through and is reported', async () => {
	const database = newKeyStore();
	const { finish, keysOf, pass, wasDone, failures } = startProcess();
	database.row.isBroken = true;
	expect(await wasDone('1', database)).toBe(false);
	finish(keysOf('1'), database.store, 500);
	await pass(20_000);
	expect(failures).toHaveLength(2);
	database.row.isBroken = false;
	expect(await wasDone('2', database)).toBe(false);
	expect(failures).toHaveLength(2);
});

test('an event that was recorded without a check is recognized, too', async () => {
	const database = newKeyStore();
	const first = startProcess();
	first.finish(first.keysOf('1'), database.store, 500);
	await first.pass(1_000);
	expect(await startProcess().wasDone('1', database)).toBe(true);
});

test('a lookup costs one call of the database, of a copy two', async () => {
	const database = newKeyStore();
	await startProcess().wasDone('1', database);
	expect(database.row.calls).toBe(1);
	const second = startProcess();
	await second.wasDone('1', database);
	expect(database.row.calls).toBe(2);
	second.finish(second.keysOf('1'), database.store, 500);
	await second.pass(1_000);
	expect(database.row.calls).toBe(4);
	await startProcess().wasDone('1', database);
	expect(database.row.calls).toBe(6);
});

test('an event is recorded as processed a quarter of a second after its time, not before', async () => {
	const { row, store } = newKeyStore();
	const { finish, keysOf, pass } = startProcess();
	finish(keysOf('1'), store, 500);
	await pass(749);
	expect(row.calls).toBe(0);
	await pass(1);
	expect(row.keys).toEqual(['known id 1', 'known body 1']);
});

test('concurrent events are recorded together, later ones in another call', async () => {
	const { row, store } = newKeyStore();
	const { finish, keysOf, pass } = startProcess();
	for (const id of ['1', '2', '3']) finish(keysOf(id), store, 500);
	await pass(200);
	finish(keysOf('4'), store, 500);
	await pass(550);
	expect(row.calls).toBe(1);
	expect(row.keys).toEqual(expect.arrayContaining(['known id 1', 'known id 3', 'known body 4']));
	finish(keysOf('5'), store, 500);
	await pass(1_000);
	expect(row.calls).toBe(2);
	expect(row.keys).toContain('known id 5');
});

test('processed events are recorded with the next check', async () => {
	const { row, store } = newKeyStore();
	const { begin, finish, keysOf, pass } = startProcess();
	finish(keysOf('1'), store, 500);
	await pass(500);
	expect(await begin(keysOf('2'), store)).toBe(false);
	expect(row.keys).toContain('known id 1');
	await pass(1_000);
	expect(row.calls).toBe(1);
});

test('a stream of events is recorded a few times a second', async () => {
	const { row, store } = newKeyStore();
	const { finish, keysOf, pass } = startProcess();
	for (let id = 0; id < 100; id++) {
		finish(keysOf(String(id)), store, 500);
		await pass(10);
	}
	await pass(1_000);
	expect(row.calls).toBe(4);
	expect(row.keys).toHaveLength(200);
});

test('an event with another ID is recognized by its body', async () => {
	const database = newKeyStore();
	const first = startProcess();
	first.finish(first.keysOf('1'), database.store, 500);
	await first.pass(1_000);
	const copy = ['id other', 'body 1'];
	expect(await startProcess().begin(copy, database.store)).toBe(true);
});

test('an event that was cut off is done when it has run with another ID', async () => {
	const database = newKeyStore();
	await startProcess().wasDone('1', database);
	const second = startProcess();
	const copy = ['id other', 'body 1'];
	expect(await second.begin(copy, database.store)).toBe(false);
	second.finish(copy, database.store, 500);
	await second.pass(1_000);
	expect(await startProcess().wasDone('1', database)).toBe(true);
});

test('an event runs after a copy of it with the ID of another one was dropped', async () => {
	const database = newKeyStore();
	const first = startProcess();
	first.finish(first.keysOf('1'), database.store, 500);
	await first.pass(1_000);
	const copy = ['id 1', 'body 2'];
	expect(await startProcess().begin(copy, database.store)).toBe(true);
	expect(await startProcess().wasDone('2', database)).toBe(false);
});

describe('an event that may still become done', () => {
	const SECOND_LOOK_MS = 3_000;

	test('is a duplicate when the other process has recorded it by then', async () => {
		const database = newKeyStore();
		const [first, second] = [startProcess(), startProcess()];
		await first.wasDone('1', database);
		const answer = second.begin(second.keysOf('1'), database.store, SECOND_LOOK_MS);
		await second.pass(2_000);
		first.finish(first.keysOf('1'), database.store, 250);
		await first.pass(1_000);
		await second.pass(2_000);
		expect(await answer).toBe(true);
	});

	test('is a duplicate, also if only its body is known', async () => {
		const database = newKeyStore();
		const [first, second] = [startProcess(), startProcess()];
		await first.wasDone('1', database);
		const copy = ['id other', 'body 1'];
		const answer = second.begin(copy, database.store, SECOND_LOOK_MS);
		await second.pass(2_000);
		first.finish(first.keysOf('1'), database.store, 250);
		await first.pass(1_000);
		await second.pass(2_000);
		expect(await answer).toBe(true);
	});

	test('runs when the other process was killed before', async () => {
		const database = newKeyStore();
		await startProcess().wasDone('1', database);
		const second = startProcess();
		const answer = second.begin(second.keysOf('1'), database.store, SECOND_LOOK_MS);
		await second.pass(4_000);
		expect(await answer).toBe(false);
	});

	test('does not wait when it is new', async () => {
		const { begin, keysOf } = startProcess();
		expect(await begin(keysOf('1'), newKeyStore().store, SECOND_LOOK_MS)).toBe(false);
	});
});

test('a burst is checked in one call', async () => {
	const { row, store } = newKeyStore();
	const { begin, keysOf } = startProcess();
	await Promise.all(['1', '2', '3'].map(async (id) => await begin(keysOf(id), store)));
	expect(row.calls).toBe(1);
});

test.each([
	['nine times as long as the call took', 10, 90],
	['a quarter of a second at most', 60, 250],
])('the row rests %s, and what comes meanwhile shares the next call', async (_, callMs, restMs) => {
	const database = newKeyStore();
	const { begin, keysOf, pass, slow } = startProcess();
	const store = slow(database, callMs);
	const answers: string[] = [];
	const ask = (id: string) => void begin(keysOf(id), store).then(() => answers.push(id));
	await pass(1_000);
	ask('1');
	await pass(callMs);
	expect(answers).toEqual(['1']);
	ask('2');
	ask('3');
	await pass(restMs + callMs - 1);
	expect(answers).toEqual(['1']);
	await pass(1);
	expect(answers).toEqual(['1', '2', '3']);
	expect(database.row.calls).toBe(2);
});
