import {
	createMessageRuns,
	type Verdict,
} from '../../../../nodes/MessagingChannel/trigger/deduplication/messageRuns';
import { keyStoreOf } from '../../../../nodes/MessagingChannel/n8n/keyStore';
import type { IExecuteFunctions } from 'n8n-workflow';

import { keyRowHelpers, newKeyRow } from '../../../support/engine/keyRow';

/** What a row begins with. */
const MARKS = ['began', 'day 0', 'minute 0'];

const NOW = { since: 0, startedAt: 0, askedAt: 0 };

/** Which of the messages ran, as a look-up finds it. */
const ranAmong = async (
	{ runs, store }: Pick<ReturnType<typeof newProcess>, 'runs' | 'store'>,
	messages: string[],
) => [...(await runs.lookUp(messages, NOW, store)).ran];

/** A process with a row that outlives it. */
function newProcess(row = newKeyRow(), maxKept = 10, startsAt = 0) {
	const helpers = keyRowHelpers(newKeyRow(), row) as unknown as IExecuteFunctions['helpers'];
	const store = {
		kept: keyStoreOf({ helpers }, maxKept, 'workflow'),
		lookUp: keyStoreOf({ helpers }, 1_000, 'workflow'),
	};
	const pauses: number[] = [];
	const onFailure = jest.fn();
	let now = startsAt;
	const checks: Array<() => void> = [];
	const sleep = async (ms: number) => {
		if (ms < 1_000) return void pauses.push(ms);
		await new Promise<void>((resolve) => checks.push(resolve));
	};
	/** Lets the next check of what was written happen. */
	const check = async () => {
		for (const wake of checks.splice(0)) wake();
		for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
	};
	return {
		runs: createMessageRuns({ now: () => (now += 5), sleep }, onFailure),
		store,
		row,
		pauses,
		onFailure,
		check,
		isChecking: () => checks.length > 0,
	};
}

test('what one process recorded is known to the next, and a look-up leaves nothing behind', async () => {
	const { runs, store, row } = newProcess();
	await Promise.all(['one', 'two'].map(async (message) => await runs.end(message, store)));
	expect(row.keys).toEqual([...MARKS, 'ran one', 'ran two']);

	const next = newProcess(row);
	for (let look = 0; look < 3; look++) {
		expect(await ranAmong(next, ['one', 'two', 'three'])).toEqual(['one', 'two']);
	}

	expect(row.keys).toEqual([...MARKS, 'ran one', 'ran two']);
});

test.each(['before', 'after'])(
	'a look-up that n8n cut off never counts as a run, and the run counts %s',
	async (order) => {
		const { runs, store, row } = newProcess(newKeyRow(), 1_000);
		await runs.end('zero', store);
		if (order === 'before') await runs.end('one', store);
		for (let look = 0; look < 3; look++) {
			const { runs: lookingUp } = newProcess(row);
			await new Promise<void>((cutOff) => {
				const remove = async () => {
					cutOff();
					return await new Promise<never>(() => {});
				};
				const cutOffStore = { ...store, lookUp: { ...store.lookUp, remove } };
				// A later look-up finds its keys there already, and has nothing to remove.
				void ranAmong({ runs: lookingUp, store: cutOffStore }, ['one', 'two']).then(() => cutOff());
			});
		}

		const next = newProcess(row, 1_000);
		expect(await ranAmong(next, ['two'])).toEqual([]);
		// Rather a second time than never.
		expect(await ranAmong(next, ['one'])).toEqual([]);

		await next.runs.end('one', next.store);
		await next.runs.end('two', next.store);
		expect(await ranAmong(next, ['one', 'two'])).toEqual(['one', 'two']);
	},
);

test('a full row forgets the oldest, and a look-up makes it forget nothing', async () => {
	const { runs, store, row } = newProcess();
	for (let count = 1; count <= 12; count++) await runs.end(`${count}`, store);
	expect(row.keys).toHaveLength(10);

	const asked = ['1', '2', '3', 'a', 'b'];
	expect(await ranAmong({ runs, store }, asked)).toEqual(['3']);

	expect(row.keys).toHaveLength(10);
});

test('a look-up says how far back the row remembers', async () => {
	const { runs, store, row } = newProcess();
	const look = async () => (await runs.lookUp(['one', 'two'], NOW, store)).history.knownSince;
	expect(await look()).toBe(0);
	expect(row.keys).toEqual([]);
	await runs.end('one', store);
	expect(await look()).toBe(0);
	expect(row.keys).toEqual([...MARKS, 'ran one']);

	for (let count = 1; count <= 6; count++) await runs.end(`${count}`, store);
	// In a new process, the marks are set again.
	const next = newProcess(row);
	await next.runs.end('last', next.store);

	expect(row.keys.slice(0, 3)).toEqual(['day 0', 'minute 0', 'ran one']);
	const { ran, history } = await next.runs.lookUp(['one', 'two'], NOW, next.store);
	expect([...ran]).toEqual(['one']);
	expect(history.knownSince).toBeGreaterThan(0);
	expect(row.keys).toHaveLength(10);
});

test('a look-up by a clock that is behind does not say that the row remembers more', async () => {
	const MINUTE = 60_000;
	const asked = { since: 7 * MINUTE, startedAt: 0, askedAt: 10 * MINUTE };
	const { runs, store, row, check } = newProcess();
	row.keys.push('ran other');
	const look = async () => (await runs.lookUp(['one'], asked, store)).history;
	expect(await look()).toEqual({ knownSince: asked.askedAt, quietSince: asked.askedAt });

	// What is recorded now has the marks of the clock that is behind, and keeps them.
	await runs.end('one', store);
	await check();
	expect(row.keys).toEqual(['ran other', 'day 0', 'minute 0', 'ran one']);
	expect((await look()).knownSince).toBe(asked.askedAt);
});

test('a look-up by a clock that is right says how far back the row remembers', async () => {
	const MINUTE = 60_000;
	const now = 110 * MINUTE;
	const { runs, store, row } = newProcess(undefined, undefined, now);
	row.keys.push('minute 100');
	const { history } = await runs.lookUp(['one'], { since: now, startedAt: now, askedAt: now }, store);
	expect(history.knownSince).toBe(101 * MINUTE);
});

test('ends that come together are recorded together, and calls are spaced', async () => {
	const { runs, store, row, pauses } = newProcess();
	await runs.end('first', store);
	const calls = row.calls;

	await Promise.all(['one', 'two', 'three', 'one'].map(async (message) => await runs.end(message, store)));
	await runs.end('one', store);

	expect(row.calls - calls).toBe(1);
	expect(row.keys).toEqual([...MARKS, 'ran first', 'ran one', 'ran two', 'ran three']);
	expect(pauses).toEqual([90, 90]);
});

test('a record removes no keys that are due for other messages', async () => {
	const { runs, store, row, check } = newProcess();
	await runs.end('one', store);
	await check();
	const { calls } = row;

	await runs.end('two', store);

	expect(row.calls - calls).toBe(1);
});

test('a record that is made again takes one call to the row', async () => {
	const { runs, store, row, check } = newProcess();
	await runs.end('one', store);
	row.keys = [...MARKS, 'ran other'];
	const { calls } = row;

	await check();

	expect(row.keys).toEqual([...MARKS, 'ran other', 'ran one']);
	expect(row.calls - calls).toBe(1);
});

test('a message that runs after a look-up that was cut off counts as soon as its end is recorded', async () => {
	const { runs, store, row } = newProcess();
	row.keys = [...MARKS, 'ran one', 'open one'];

	await runs.end('one', store);

	expect(await ranAmong(newProcess(row), ['one'])).toEqual(['one']);
});

test('a message belongs to the execution that begins it', () => {
	const { runs } = newProcess();
	expect(runs.isBegun('one')).toBe(false);

	expect([runs.begin('one', '1'), runs.begin('one', '2'), runs.begin('one', '1')]).toEqual([
		true,
		false,
		true,
	]);
	expect([runs.isBegun('one'), runs.isBegunBy('one', '1'), runs.isBegunBy('one', '2')]).toEqual([
		true,
		true,
		false,
	]);

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
	for (let count = 0; count < 4; count++) {
		const { runs, store } = newProcess(row);
		verdicts.push(await runs.mayRun('one', store));
	}
	expect(verdicts).toEqual(['open', 'open', 'open', 'exhausted']);
});

test('a message that ran may not run again, and those that come together are judged together', async () => {
	const { runs, store, row, pauses } = newProcess();
	await runs.end('ran', store);
	await newProcess(row).runs.mayRun('tried', store);
	const [calls, pausesBefore] = [row.calls, pauses.length];

	const verdicts = ['ran', 'tried', 'new'].map(async (message) => await runs.mayRun(message, store));

	expect(await Promise.all(verdicts)).toEqual(['ran', 'open', 'open']);
	expect([row.calls - calls, pauses.length - pausesBefore]).toEqual([4, 1]);
	expect(row.keys.filter((key) => key.startsWith('try'))).toEqual([
		'try 1 tried',
		'try 1 new',
		'try 2 tried',
	]);
});

test('a record that another process overwrites is made again, also a later one', async () => {
	const { runs, store, row, check, onFailure } = newProcess();
	for (const message of ['one', 'two']) {
		await runs.end(message, store);
		row.keys = [...MARKS, 'ran other'];

		await check();
		expect(row.keys).toEqual([...MARKS, 'ran other', `ran ${message}`]);
		for (let checks = 0; checks < 4; checks++) await check();
		const { calls } = row;
		await check();

		expect(row.calls).toBe(calls);
	}
	expect(onFailure).not.toHaveBeenCalled();
});

test('a record is made again when another process takes it for the keys of its own look-up', async () => {
	const { runs, store, row, check } = newProcess();
	await runs.end('other', store);
	const next = newProcess(row);
	const remove = async (keys: string[]) => {
		await runs.end('one', store);
		await next.store.lookUp.remove(keys);
	};
	const lookUp = { ...next.store.lookUp, remove };
	expect(await ranAmong({ ...next, store: { ...next.store, lookUp } }, ['one'])).toEqual([]);
	expect(row.keys).not.toContain('ran one');

	await check();

	expect(await ranAmong(newProcess(row), ['one'])).toEqual(['one']);
});

test.each<[string, (next: ReturnType<typeof newProcess>) => Promise<unknown>, unknown]>([
	['a look-up', async (next) => await ranAmong(next, ['one']), ['one']],
	['a try', async ({ runs, store }) => await runs.mayRun('one', store), 'ran'],
])(
	'a message that ran stays so, also when another process writes the keys of %s again',
	async (_, ask, answer) => {
		const { runs, store, row, check } = newProcess();
		await runs.end('one', store);
		await check();
		const next = newProcess(row);
		expect(await ask(next)).toEqual(answer);
		row.keys.push('open one');

		await next.check();

		expect(await ranAmong(newProcess(row), ['one'])).toEqual(['one']);
	},
);

test.each<[string, (next: ReturnType<typeof newProcess>) => Promise<unknown>, unknown]>([
	['a look-up', async (next) => await ranAmong(next, ['one']), ['one']],
	['a try', async ({ runs, store }) => await runs.mayRun('one', store), 'ran'],
])('%s takes no notice of a key that its process is still removing', async (_, ask, answer) => {
	const { runs, store, row } = newProcess();
	await runs.end('one', store);
	const next = newProcess(row);
	await ranAmong(next, ['one']);
	row.keys.push('open one');

	expect(await ask(next)).toEqual(answer);
	expect(row.keys).toEqual([...MARKS, 'ran one']);
});

test('a message that ran stays so when another process undoes the removal of such keys again and again', async () => {
	const { runs, store, row, check } = newProcess();
	await runs.end('one', store);
	for (let checks = 0; checks < 4; checks++) {
		row.keys = [...MARKS, 'ran one', 'open one'];
		await check();
	}

	expect(await ranAmong(newProcess(row), ['one'])).toEqual(['one']);
});

test('the keys of a look-up are removed three times, also if another one came before the last time', async () => {
	const { runs, store, row } = newProcess();
	await runs.end('one', store);
	const next = newProcess(row);
	await ranAmong(next, ['one']);
	for (let checks = 0; checks < 2; checks++) await next.check();

	const again = ranAmong(next, ['one']);
	await next.check();
	expect(await again).toEqual(['one']);
	row.keys.push('open one');
	const { calls } = row;
	await next.check();

	expect(row.keys).toEqual([...MARKS, 'ran one']);
	// Nothing else is written, as no message ran.
	expect(row.calls - calls).toBe(1);
	for (let checks = 0; checks < 2; checks++) await next.check();
	expect(next.isChecking()).toBe(false);
});

test.each([
	['are removed', 'for less than half a minute', 19, []],
	['are left alone', 'for longer', 20, ['open one']],
])('the keys of a look-up %s when the database fails %s', async (_, __, failures, left) => {
	const { runs, store, row } = newProcess();
	await runs.end('one', store);
	const next = newProcess(row);
	await ranAmong(next, ['one']);
	row.isBroken = true;
	for (let checks = 0; checks < failures; checks++) await next.check();
	row.isBroken = false;
	row.keys.push('open one');

	await next.check();

	expect(row.keys.filter((key) => key.startsWith('open'))).toEqual(left);
});

test.each<[string, (next: ReturnType<typeof newProcess>) => Promise<unknown>, unknown]>([
	['a look-up', async (next) => await ranAmong(next, ['one']), ['one']],
	['a try', async ({ runs, store }) => await runs.mayRun('one', store), 'ran'],
])(
	'a message that ran stays so when the database fails before %s has removed its keys',
	async (_, ask, answer) => {
		const { runs, store: kept, row } = newProcess();
		await runs.end('one', kept);
		const next = newProcess(row);
		const remove = async () => await Promise.reject(new Error('database is locked'));
		const store = { ...next.store, lookUp: { ...next.store.lookUp, remove } };

		expect(await ask({ ...next, store })).toEqual(answer);
		await next.check();

		expect(await ranAmong(newProcess(row), ['one'])).toEqual(['one']);
	},
);

test('a row does not look as if it remembered more when another process writes the marks of a look-up again', async () => {
	const { runs, store, row } = newProcess();
	for (let count = 1; count <= 12; count++) await runs.end(`${count}`, store);
	const next = newProcess(row);
	await ranAmong(next, ['one']);
	row.keys.push('began', 'day -3');

	await next.check();

	const last = newProcess(row);
	const { history } = await last.runs.lookUp(['one'], NOW, last.store);
	expect(history.knownSince).toBeGreaterThan(0);
});

test('a record counts although another process has written a look-up again in its place', async () => {
	const { runs, store, row, check } = newProcess();
	await runs.end('one', store);
	row.keys = [...MARKS, 'ran one', 'open one'];

	await check();

	expect(await ranAmong(newProcess(row), ['one'])).toEqual(['one']);
});

test('a row without keys has forgotten nothing, also when n8n is killed during a look-up in it', async () => {
	const { runs, store, row, check } = newProcess();
	const remove = async () => await new Promise<never>(() => {});
	void runs.mayRun('one', { ...store, lookUp: { ...store.lookUp, remove } });
	await check();

	expect(row.keys).toEqual([...MARKS, 'try 1 one']);
	const next = newProcess(row);
	const { history } = await next.runs.lookUp(['one'], NOW, next.store);
	expect(history.knownSince).toBe(0);
});

test('a database that fails for long is told of, and fails no run', async () => {
	const { runs, store, row, onFailure, check } = newProcess();
	row.isBroken = true;

	await runs.end('one', store);
	for (let checks = 0; checks < 19; checks++) await check();
	expect(onFailure).not.toHaveBeenCalled();
	await check();
	expect(onFailure).toHaveBeenCalledTimes(1);
	await expect(ranAmong({ runs, store }, ['one'])).rejects.toThrow('database is locked');
	row.isBroken = false;

	expect(await ranAmong({ runs, store }, ['one'])).toEqual([]);
});

test('a database that fails for less than half a minute loses no record', async () => {
	const { runs, store, row, onFailure, check } = newProcess();
	const messages = ['one', 'two', 'three'];
	row.isBroken = true;
	for (const message of messages) await runs.end(message, store);
	for (let checks = 0; checks < 18; checks++) await check();
	row.isBroken = false;

	// The second one finds what the first one has written.
	for (let checks = 0; checks < 2; checks++) await check();

	expect(await ranAmong({ runs, store }, messages)).toEqual(messages);
	expect(onFailure).not.toHaveBeenCalled();
});

describe('answers', () => {
	test('that one process began are known to the next, until it cancels them', async () => {
		const { runs, store, row } = newProcess();
		await runs.beginAnswer('one q', store);

		const next = newProcess(row);
		for (let look = 0; look < 3; look++) {
			expect(await next.runs.begunAnswers(['one q', 'one r', 'two q'], next.store)).toEqual(['one q']);
		}
		expect(row.keys).toEqual([...MARKS, 'answer one q']);
		await next.runs.cancelAnswer('one q', next.store);
		expect(await next.runs.begunAnswers(['one q'], next.store)).toEqual([]);
		expect(row.keys).toEqual(MARKS);
	});

	test('are looked up together, and each look-up gets its own', async () => {
		const { runs, store, row } = newProcess();
		await runs.beginAnswer('one q', store);
		await runs.beginAnswer('two q', store);
		const before = row.calls;

		const looks = ['one q', 'two q', 'three q'].map(async (each) => await runs.begunAnswers([each], store));

		expect(await Promise.all(looks)).toEqual([['one q'], ['two q'], []]);
		expect(row.calls - before).toBe(2);
	});

	test('are not begun by a look-up that n8n cut off', async () => {
		const { store, row } = newProcess();
		await store.lookUp.record(['answer one q', 'asked one q']);

		const { runs } = newProcess(row);
		const { calls } = row;
		expect(await runs.begunAnswers(['one q'], store)).toEqual([]);
		// It counts and asks; there is nothing to remove, which could overwrite a record of another process.
		expect(row.calls - calls).toBe(2);
		await runs.beginAnswer('one q', store);
		expect(await runs.begunAnswers(['one q'], store)).toEqual(['one q']);
	});
});
