import {
	createMessageRuns,
	type Verdict,
} from '../../../../nodes/MessagingChannel/trigger/deduplication/messageRuns';
import { rowOf, type Row } from '../../../../nodes/MessagingChannel/n8n/journal/row';
import type { IExecuteFunctions } from 'n8n-workflow';

import { keyRowHelpers, newKeyRow } from '../../../support/engine/keyRow';
import { manualClock } from '../../../support/engine/manualClock';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** What a row begins with. */
const MARKS = ['began', 'ten minutes 0', 'day 0'];

/** A process with a row that outlives it. */
function newProcess(row = newKeyRow(), startsAt = 0) {
	const helpers = keyRowHelpers(newKeyRow(), row) as unknown as IExecuteFunctions['helpers'];
	const store: Row = rowOf({ helpers }, 'workflow');
	const onFailure = jest.fn();
	const clock = manualClock(startsAt);
	const runs = createMessageRuns(clock, onFailure);
	/** Waits for something, and lets the time pass that it takes. */
	const after = async <T>(work: Promise<T>): Promise<T> => {
		let hasEnded = false;
		const end = () => void (hasEnded = true);
		void work.then(end, end);
		do await clock.advance(SECOND);
		while (!hasEnded);
		return await work;
	};
	return {
		runs,
		row,
		store,
		onFailure,
		clock,
		end: async (...messages: string[]) =>
			await after(Promise.all(messages.map(async (message) => await runs.end(message, store)))),
		lookUp: async (messages: string[]) => await after(runs.lookUp(messages, store)),
		mayRun: async (message: string) => await after(runs.mayRun(message, store)),
		begunAnswers: async (answers: string[]) => await after(runs.begunAnswers(answers, store)),
		after,
	};
}

/** Which of the messages ran, as another process finds it. */
const ranAmong = async (row: ReturnType<typeof newKeyRow>, messages: string[]) => [
	...(await newProcess(row).lookUp(messages)).ran,
];

/** The keys, without what proves that other processes did not undo a call. */
const sorted = (keys: readonly string[]) => keys.filter((key) => !/^(wrote|removed) /.test(key)).sort();

test('what one process recorded is known to the next, and a look-up is no run', async () => {
	const { end, row } = newProcess();
	await end('one', 'two');
	expect(sorted(row.keys)).toEqual(sorted([...MARKS, 'known one', 'known two']));

	for (let look = 0; look < 3; look++)
		expect(await ranAmong(row, ['one', 'two', 'three'])).toEqual(['one', 'two']);

	expect(sorted(row.keys)).toEqual(sorted([...MARKS, 'known one', 'known two', 'known three', 'open three']));
});

test('a full row forgets the oldest, and says how far back it remembers', async () => {
	const { end, lookUp, row } = newProcess();
	await end('one');
	expect((await lookUp(['one'])).knownSince).toBe(0);
	row.keys = ['known old', ...Array.from({ length: 16_499 }, (_, index) => `known ${index}`)];
	await end('more');
	expect(MARKS.filter((mark) => row.keys.includes(mark))).toEqual([]);

	const next = newProcess(row, 110 * MINUTE);
	await next.end('last');
	const { ran, knownSince } = await next.lookUp(['old', 'last']);

	expect([...ran]).toEqual(['last']);
	expect(knownSince).toBeGreaterThanOrEqual(110 * MINUTE);
	expect(row.keys.length).toBeLessThanOrEqual(16_500);
});

describe('a row without keys has forgotten nothing, also when', () => {
	test('a look-up is the first to use it', async () => {
		const { lookUp } = newProcess();
		expect((await lookUp(['one'])).knownSince).toBe(0);
	});

	test('n8n is killed during a look-up in it', async () => {
		const { runs, store, row, clock } = newProcess();
		const remove = async () => await new Promise<never>(() => {});
		void runs.mayRun('one', { ...store, remove });
		await clock.advance(SECOND);

		expect((await newProcess(row).lookUp(['one'])).knownSince).toBe(0);
	});

	test('the database fails for some seconds from the first call on', async () => {
		const { end, row, clock } = newProcess();
		row.isBroken = true;
		await end('one');
		row.isBroken = false;
		await clock.advance(5 * SECOND);

		const { ran, knownSince } = await newProcess(row).lookUp(['one']);
		expect([[...ran], knownSince]).toEqual([['one'], 0]);
	});
});

test.each([1, 2, 4])(
	'a look-up leaves no mark that was not set, also when another process undoes %d times that it removed them',
	async (times) => {
		const { end, row } = newProcess();
		await end('one');
		row.keys = row.keys.filter((key) => key !== 'began');
		const next = newProcess(row, 10 * MINUTE);
		let [image, undone] = [[] as string[], 0];
		const store: Row = {
			...next.store,
			async record(...given) {
				const before = await next.store.record(...given);
				image = [...row.keys];
				return before;
			},
			async remove(keys) {
				const removed = [...keys];
				await next.store.remove(removed);
				if (removed.length > 0 && undone++ < times) row.keys = image;
			},
		};
		const lookUp = async () => await next.after(next.runs.lookUp(['one'], store));

		const found = [await lookUp(), await lookUp()];
		await next.clock.advance(30 * SECOND);

		expect(found.map(({ knownSince }) => knownSince)).toEqual([11 * MINUTE, 11 * MINUTE]);
		expect(undone).toBeGreaterThan(times);
		const marks = row.keys.filter((key) => /^(began|day|ten minutes)/.test(key));
		expect(marks).toEqual([...MARKS.slice(1), 'ten minutes 1']);
	},
);

test('a message belongs to the execution that begins it', () => {
	const { runs } = newProcess();
	expect(runs.isBegun('one')).toBe(false);

	expect(['1', '2', '1'].map((id) => runs.begin('one', id))).toEqual([true, false, true]);
	expect(runs.isBegun('one')).toBe(true);
	expect(['1', '2'].map((id) => runs.isBegunBy('one', id))).toEqual([true, false]);

	runs.forget('one');
	expect([runs.isBegun('one'), runs.begin('one', '2')]).toEqual([false, true]);
});

test('what is known has a limit', () => {
	const { runs } = newProcess();
	for (let count = 0; count <= 20_000; count++) runs.begin(`${count}`, '1');

	expect(['0', '1', '20000'].map((message) => runs.isBegun(message))).toEqual([false, true, true]);
});

test('a message may be tried three times, in all processes together', async () => {
	const { row } = newProcess();
	const verdicts: Verdict[] = [];
	for (let count = 0; count < 4; count++) verdicts.push(await newProcess(row).mayRun('one'));
	expect(verdicts).toEqual(['open', 'open', 'open', 'exhausted']);
});

test('of a message that ran after two tries, one key is left', async () => {
	const { row } = newProcess();
	await newProcess(row).mayRun('one');
	const last = newProcess(row);
	await last.mayRun('one');
	expect(row.keys).toEqual(expect.arrayContaining(['known one', 'open one', 'try 1 one', 'try 2 one']));

	await last.end('one');
	expect(row.keys.filter((key) => key.endsWith('one'))).toEqual(['known one']);
});

test('a message that ran may not run again, and those that come together are judged together', async () => {
	const { end, runs, store, row, after } = newProcess();
	await end('ran');
	await newProcess(row).mayRun('tried');
	const { calls } = row;

	const verdicts = ['ran', 'tried', 'new'].map(async (message) => await runs.mayRun(message, store));

	expect(await after(Promise.all(verdicts))).toEqual(['ran', 'open', 'open']);
	expect(row.calls - calls).toBeLessThanOrEqual(6);
	await after(Promise.resolve());
	expect(row.keys.filter((key) => key.startsWith('try'))).toEqual([
		'try 1 tried',
		'try 1 new',
		'try 2 tried',
	]);
});

test.each<[string, (next: ReturnType<typeof newProcess>) => Promise<unknown>, unknown]>([
	['a look-up', async ({ lookUp }) => [...(await lookUp(['one'])).ran], ['one']],
	['a try', async ({ mayRun }) => await mayRun('one'), 'ran'],
])(
	'a message that ran stays so, also when another process writes the keys of %s again',
	async (_, ask, answer) => {
		const { end, row } = newProcess();
		await end('one');
		const next = newProcess(row);
		const asked = ask(next);
		await next.clock.advance(0);
		row.keys.push('open one');
		expect(await asked).toEqual(answer);
		await next.clock.advance(10 * SECOND);

		expect(await ranAmong(row, ['one'])).toEqual(['one']);
	},
);

test('a database that fails for long is told of, and fails no run', async () => {
	const { end, row, clock, onFailure, lookUp } = newProcess();
	row.isBroken = true;
	await end('one');
	await clock.advance(20 * SECOND);
	expect(onFailure).toHaveBeenCalledTimes(1);
	await expect(lookUp(['one'])).rejects.toThrow('database is locked');
	row.isBroken = false;

	await end('two');
	expect(await ranAmong(row, ['one', 'two'])).toEqual(['one', 'two']);
});

describe('answers', () => {
	test('that one process began are known to the next, until it cancels them', async () => {
		const { runs, store, row, after } = newProcess();
		await after(runs.beginAnswer('one q', store));

		const next = newProcess(row);
		for (let look = 0; look < 3; look++)
			expect(await next.begunAnswers(['one q', 'one r', 'two q'])).toEqual(['one q']);
		expect(row.keys.filter((key) => key.includes('answer'))).toEqual(['known answer one q']);
		await next.after(next.runs.cancelAnswer('one q', next.store));
		expect(await next.begunAnswers(['one q'])).toEqual([]);
		expect(row.keys.filter((key) => key.includes('answer'))).toEqual([]);
	});

	test('are stored before they are handed over', async () => {
		const { runs, store, row, clock } = newProcess();
		const begun = jest.fn(() => expect(row.keys).toContain('known answer one q'));
		void runs.beginAnswer('one q', store).then(begun);
		await clock.advance(SECOND);
		expect(begun).toHaveBeenCalled();
	});

	test('are not begun by a look-up that n8n cut off', async () => {
		const { store, row } = newProcess();
		await store.record(['known answer one q', 'open answer one q']);
		const next = newProcess(row);
		expect(await next.begunAnswers(['one q'])).toEqual([]);
		await next.after(next.runs.beginAnswer('one q', store));
		expect(await next.begunAnswers(['one q'])).toEqual(['one q']);
	});
});
