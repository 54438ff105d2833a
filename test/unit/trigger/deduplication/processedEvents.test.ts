import {
	createProcessedEvents,
	FETCHED,
} from '../../../../nodes/MessagingChannel/trigger/deduplication/ranBefore';
import type { Row } from '../../../../nodes/MessagingChannel/n8n/journal/row';
import { newKeyStore } from '../../../support/engine/keyRow';
import { manualClock } from '../../../support/engine/manualClock';

const SECOND = 1_000;

const keysOf = (id: string) => [`id ${id}`, `body ${id}`];

/** A process of n8n, with events of its own, whose time passes when a test says so. */
function startProcess({ store }: { store: Row }) {
	const failures: unknown[] = [];
	const clock = manualClock(0);
	const processed = createProcessedEvents(clock, (error) => failures.push(error));
	const origin = { isShared: false, doneWithinMs: 0, recordAfterMs: 500 };
	const begin = async (keys: string[], doneWithinMs = 0) =>
		await processed.begin(keys, store, { ...origin, doneWithinMs });
	const finish = (keys: string[]) => processed.finish(keys, store, origin);
	/** Asks, and lets the time pass that it takes. */
	const wasDone = async (keys: string[]) => {
		const answer = begin(keys);
		await clock.advance(SECOND);
		return await answer;
	};
	/** Runs an event to its end. */
	const run = async (keys: string[]) => {
		finish(keys);
		await clock.advance(SECOND);
	};
	return { begin, finish, wasDone, run, failures, advance: clock.advance };
}

/** Whether a new process takes an event for one that has run. */
const isDone = async (database: { store: Row }, keys: string[]) => await startProcess(database).wasDone(keys);

test('an event is recognized by either key, and what has only the ID of another one runs', async () => {
	const database = newKeyStore();
	await startProcess(database).run(keysOf('1'));

	expect(await isDone(database, ['id other', 'body 1'])).toBe(true);
	expect(await isDone(database, ['id 1', 'body 2'])).toBe(true);
	expect(await isDone(database, keysOf('2'))).toBe(false);
});

test('an event runs again each time that n8n was killed before it recorded the run', async () => {
	const database = newKeyStore();
	for (let times = 0; times < 4; times++) expect(await isDone(database, keysOf('1'))).toBe(false);
	const last = startProcess(database);
	expect(await last.wasDone(keysOf('1'))).toBe(false);
	last.finish(keysOf('1'));
	expect(await isDone(database, keysOf('1'))).toBe(false);

	await last.advance(SECOND);
	for (let times = 0; times < 4; times++) expect(await isDone(database, keysOf('1'))).toBe(true);
});

test('a burst is checked and recorded in a few calls, never two at once, and loses nothing', async () => {
	const { row, store } = newKeyStore();
	const first = startProcess({ store });
	const events = Array.from({ length: 200 }, (_, index) => keysOf(String(index)));
	await Promise.all(events.map(async (keys) => await first.begin(keys)));
	events.forEach(first.finish);
	await first.advance(SECOND);
	expect(first.failures).toEqual([]);
	// The lookup, the record, and the removal of what was recorded as running.
	expect(row.calls).toBe(3);

	const second = startProcess({ store });
	expect(await Promise.all(events.map(async (keys) => await second.begin(keys)))).toEqual(
		Array(200).fill(true),
	);
});

test('a stream of events is recorded a few times a second', async () => {
	const { row, store } = newKeyStore();
	const { finish, advance } = startProcess({ store });
	for (let id = 0; id < 100; id++) {
		finish(keysOf(String(id)));
		await advance(10);
	}
	await advance(SECOND);
	expect(row.calls).toBe(4);
	expect(row.keys).toHaveLength(200);
});

test('the row rests after a call, and what comes meanwhile shares the next one', async () => {
	const { row, store } = newKeyStore();
	const clock = manualClock(0);
	const record: Row['record'] = async (...call) => {
		await clock.sleep(60);
		return await store.record(...call);
	};
	const processed = createProcessedEvents(clock, () => {});
	const ask = (id: string) => void processed.begin(keysOf(id), { ...store, record }, FETCHED);
	ask('1');
	await clock.advance(60);
	ask('2');
	ask('3');
	for (const [ms, calls] of [
		[250 + 60 - 1, 1],
		[1, 2],
		[SECOND, 2],
	] as const) {
		await clock.advance(ms);
		expect(row.calls).toBe(calls);
	}
});

describe('an event that may still become done', () => {
	const SECOND_LOOK_MS = 3 * SECOND;

	test.each([
		['is a duplicate when the other process has recorded it by then', keysOf('1'), true],
		['is a duplicate, also if only its body is known', ['id other', 'body 1'], true],
		['runs when the other process was killed before', keysOf('1'), false],
	])('%s', async (_, copy, isRecorded) => {
		const database = newKeyStore();
		const [first, second] = [startProcess(database), startProcess(database)];
		await first.wasDone(keysOf('1'));
		const answer = second.begin(copy, SECOND_LOOK_MS);
		await second.advance(2 * SECOND);
		if (isRecorded) await first.run(keysOf('1'));
		await second.advance(2 * SECOND);
		expect(await answer).toBe(isRecorded);
	});
});
