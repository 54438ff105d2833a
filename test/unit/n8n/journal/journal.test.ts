import type { Fact, Journal, Policy } from '../../../../nodes/MessagingChannel/n8n/journal/contract';
import { createJournal } from '../../../../nodes/MessagingChannel/n8n/journal/journal';
import type { Row } from '../../../../nodes/MessagingChannel/n8n/journal/row';
import { manualClock } from '../../../support/engine/manualClock';
import { newKeyStore } from '../../../support/engine/keyRow';

const SECOND = 1_000;

interface Database {
	failsAt: (call: keyof Row, keys: readonly string[]) => boolean;
	slowMs: number;
}

/** A journal whose row another process can overwrite. */
function newJournal(policy: Partial<Policy> = {}, isShared = true, { row, store } = newKeyStore()) {
	const clock = manualClock(0);
	const onFailure = jest.fn();
	/** At which calls the database fails, and how slow it is. */
	const database: Database = { failsAt: () => false, slowMs: 0 };
	const reach = async (call: keyof Row, keys: Iterable<string>) => {
		if (database.failsAt(call, [...keys])) throw new Error('database is locked');
		if (database.slowMs > 0) await clock.sleep(database.slowMs);
	};
	const reached: Row = {
		...store,
		async record(keys, max) {
			await reach('record', keys);
			return await store.record(keys, max);
		},
		async remove(keys) {
			await reach('remove', keys);
			await store.remove(keys);
		},
	};
	const ground = { row: reached, clock, isShared, onFailure };
	const journal = createJournal(ground, { writesWithinMs: 60 * SECOND, ...policy });
	/** Another process writes the row as it was, and this one makes its next call later. */
	const undo = async (keys: string[]) => {
		await clock.advance(0);
		row.keys = keys;
		await clock.advance(2 * SECOND);
		await journal.flush();
	};
	/** Begins a fact that waits, for as long as that takes. */
	const wait = async (id: string) => {
		const begun = journal.begin([{ id }], true);
		await clock.advance(2 * SECOND);
		return await begun;
	};
	return { clock, row, store, journal, undo, wait, onFailure, database };
}

describe('what was begun, and another process undid', () => {
	test('is open again', async () => {
		const { row, journal, undo } = newJournal();
		await journal.begin([{ id: '1' }, { id: '2' }]);
		await undo([]);
		expect(row.keys).toEqual(expect.arrayContaining(['known 1', 'open 1', 'known 2', 'open 2']));
	});

	test('is told if it cannot be stored again', async () => {
		const { journal, undo, onFailure, database } = newJournal();
		await journal.begin([{ id: '1' }]);
		database.failsAt = (_, keys) => keys.includes('open 1');
		await undo([]);
		expect(onFailure).toHaveBeenCalledTimes(1);
	});

	test('stays as it is if another process can have finished it by then', async () => {
		const { row, journal, undo } = newJournal({ forgetsOpen: true });
		await journal.begin([{ id: '1' }]);
		await undo(['known 1']);
		expect(row.keys).toEqual(['known 1']);
	});

	test('stays as it is if it was done before', async () => {
		const { row, journal, undo } = newJournal();
		const before = ['known 1'];
		row.keys = before;
		await journal.begin([{ id: '1' }, { id: '2' }]);
		await undo(before);
		expect(row.keys).not.toContain('open 1');
		expect(row.keys).toContain('open 2');
	});

	test('stays as it is if the beginning has waited for that', async () => {
		const { row, journal, wait, undo } = newJournal();
		await wait('1');
		await journal.begin([{ id: '2' }]);
		await undo([]);
		expect(row.keys).not.toContain('open 1');
		expect(row.keys).toContain('open 2');
	});
});

test.each<[string, Fact, before: string[], calls: number, after?: string[]]>([
	['absent', { id: '1' }, [], 1, ['known 1', 'open 1']],
	['absent, and has a tag', { id: '1', tag: 'a' }, [], 2, ['known 1', 'open 1', 'known 1 a']],
	['open', { id: '1' }, ['known 1', 'open 1'], 1],
	['open, and has another tag', { id: '1', tag: 'b' }, ['known 1', 'open 1', 'known 1 a'], 3],
	['open, and has lost its older key', { id: '1' }, ['open 1'], 2],
	['done', { id: '1' }, ['known 1'], 2],
	['done, and has a tag that is not kept', { id: '1', tag: 'a' }, ['known 1'], 2],
	['done, and has a tag that is kept', { id: '1', tag: 'a', keepsTag: true }, ['known 1', 'known 1 a'], 3],
])(
	'a beginning of what is %s changes no more of the row than it must',
	async (_, fact, before, calls, after = before) => {
		const { clock, row, journal } = newJournal({}, false);
		row.keys = before;
		await journal.begin([fact]);
		await clock.advance(0);
		expect([row.keys, row.calls]).toEqual([after, calls]);
		// Nothing else is to be written.
		expect([await journal.flush(), await journal.settle(), clock.elapsed(), row.calls]).toEqual([
			true,
			true,
			0,
			calls,
		]);
	},
);

test('an end of what was not begun takes one call', async () => {
	const { row, journal } = newJournal({}, false);
	journal.finish('1');
	await journal.flush();
	expect([row.keys, row.calls]).toEqual([['known 1'], 1]);
});

test('a note takes one call, and a look leaves nothing', async () => {
	const { clock, row, journal } = newJournal();
	await journal.note(['a']);
	await clock.advance(0);
	expect([row.keys, row.calls]).toEqual([['a'], 1]);
	await Promise.all([journal.begin([{ id: '1' }]), journal.peek(['1', '2']), journal.find(['a', 'b'])]);
	await clock.advance(0);
	expect(row.keys).toEqual(['a', expect.stringMatching(/^wrote /), 'known 1', 'open 1']);
});

test('what others use as well is begun in one call, too, and needs no proof if it was done', async () => {
	const { clock, row, journal } = newJournal();
	row.keys = ['known 2'];
	await journal.begin([{ id: '2' }]);
	await clock.advance(0);
	expect([row.keys, await journal.settle(), clock.elapsed()]).toEqual([['known 2'], true, 0]);
	const { calls } = row;
	await journal.begin([{ id: '1' }]);
	await clock.advance(0);
	expect(row.keys).toEqual(['known 2', expect.stringMatching(/^wrote /), 'known 1', 'open 1']);
	expect(row.calls).toBe(calls + 1);
});

test('ends that come all the time are written as often as they may wait', async () => {
	const { clock, row, journal } = newJournal({ writesWithinMs: SECOND }, false);
	for (let id = 0; id < 20; id++) {
		journal.finish(`${id}`);
		await clock.advance(0.4 * SECOND);
	}
	expect([row.calls, row.keys.length]).toEqual([6, 18]);
	await clock.advance(SECOND);
	expect([row.calls, row.keys.length]).toEqual([7, 20]);
});

test('no key of its own stays in the row', async () => {
	const { clock, row, journal, wait } = newJournal();
	await wait('1');
	journal.finish('1');
	await journal.begin([{ id: '1' }]);
	const settled = journal.settle();
	for (let calls = 0; calls < 5; calls++) await clock.advance(2 * SECOND);
	expect(await settled).toBe(true);
	await journal.flush();
	expect(row.keys).toEqual(['known 1']);
});

describe('a beginning that waits', () => {
	test('takes no longer than a call, and is told what it was before', async () => {
		const { clock, journal, wait } = newJournal();
		expect((await wait('1')).get('1')?.state).toBe('absent');
		expect(clock.elapsed()).toBe(2 * SECOND);
		// It does not wait for what is there.
		expect((await journal.begin([{ id: '1' }], true)).get('1')?.state).toBe('open');
	});

	test('begins again what another process undoes', async () => {
		const { clock, row, journal } = newJournal();
		const before = ['known 2', 'open 2'];
		row.keys = [...before, 'a'];
		const begun = journal.begin([{ id: '1' }, { id: '2' }], true);
		void journal.note(['a']);
		await clock.advance(0);
		row.keys = before;
		await clock.advance(4 * SECOND);
		expect([...(await begun).values()].map(({ state }) => state)).toEqual(['absent', 'open']);
		expect(clock.elapsed()).toBe(4 * SECOND);
		expect(row.keys).toEqual([...before, 'a', 'known 1', 'open 1']);
	});

	test('leaves what another process has ended meanwhile as it is', async () => {
		const { clock, row, store, journal } = newJournal();
		row.keys = ['known 1', 'open 1', 'known 2', 'open 2', 'a'];
		const begun = journal.begin(
			['1', '2', '3'].map((id) => ({ id })),
			true,
		);
		void journal.find(['a']);
		await clock.advance(0);
		await store.remove(['open 1', 'known 2', 'open 2', 'a']);
		await clock.advance(2 * SECOND);
		expect([...(await begun).values()].map(({ state }) => state)).toEqual(['open', 'open', 'absent']);
		expect(row.keys).toEqual(['known 1', 'known 3', 'open 3']);
	});

	test('counts as open if another one undoes it that waits as well', async () => {
		const [{ clock, row, journal }, other] = [newJournal(), newJournal()];
		const begun = journal.begin([{ id: '1' }], true);
		void other.journal.begin([{ id: '1' }], true);
		for (const each of [clock, other.clock]) await each.advance(0);
		row.keys = other.row.keys;
		await clock.advance(2 * SECOND);
		expect((await begun).get('1')?.state).toBe('open');
	});

	test('counts as open if other processes undo it again and again', async () => {
		const { clock, row, journal } = newJournal();
		row.keys = ['known 2'];
		const begun = journal.begin([{ id: '1' }, { id: '2' }], true);
		for (let calls = 0; calls < 6; calls++) {
			await clock.advance(0);
			row.keys = ['known 2'];
			await clock.advance(2 * SECOND);
		}
		expect([...(await begun)].map(([id, { state }]) => [id, state])).toEqual([
			['1', 'open'],
			['2', 'done'],
		]);
	});
});

test('what the database does not store is told: an end is stored later, and what was cancelled stays open', async () => {
	const { row, journal, onFailure } = newJournal();
	await journal.begin([{ id: '1' }, { id: '2' }]);
	row.isBroken = true;
	journal.cancel('2');
	expect(await journal.flush()).toBe(false);
	journal.finish('1');
	expect(await journal.flush()).toBe(false);
	expect(onFailure).toHaveBeenCalledTimes(2);
	row.isBroken = false;
	expect(await journal.flush()).toBe(true);
	expect(row.keys.filter((key) => /^(known|open) /.test(key))).toEqual(['known 1', 'known 2', 'open 2']);
});

test('what was finished is done, also while that is not stored', async () => {
	const { row, journal } = newJournal();
	row.isBroken = true;
	journal.finish('1');
	expect(await journal.flush()).toBe(false);
	row.isBroken = false;
	expect((await journal.peek(['1'])).get('1')).toBe('done');
});

test('what could not be removed is told, and goes later, with what proves it', async () => {
	const { clock, row, journal, onFailure, database } = newJournal();
	await journal.begin([{ id: '1' }]);
	await journal.note(['a', 'b']);
	journal.finish('1');
	journal.erase('a');
	database.failsAt = (call) => call === 'remove';
	expect([await journal.flush(), onFailure.mock.calls.length]).toEqual([false, 1]);
	database.failsAt = () => false;
	expect(await journal.flush()).toBe(true);
	expect(row.keys.filter((key) => !/^(wrote|removed) /.test(key))).toEqual(['known 1', 'b']);
	const settled = journal.settle();
	for (let calls = 0; calls < 5; calls++) await clock.advance(2 * SECOND);
	expect(await settled).toBe(true);
	await journal.flush();
	expect(row.keys).toEqual(['known 1', 'b']);
});

test('what was cancelled is not done, although its end could not be stored before', async () => {
	const { row, journal, database } = newJournal();
	database.failsAt = () => true;
	journal.finish('1');
	await journal.flush();
	journal.cancel('1');
	database.failsAt = (call) => call === 'remove';
	await journal.flush();
	expect(row.keys).not.toContain('known 1');
});

test.each([
	['not stored yet', true, false, false, 'done'],
	['not stored yet, and used by one process', false, false, false, 'done'],
	['undone by another process', true, true, false, 'done'],
	['proven, and forgotten', true, true, true, 'absent'],
	['forgotten, and used by one process', false, true, false, 'absent'],
] as const)('what was finished and is %s', async (_, isShared, isStored, isProven, state) => {
	const { clock, row, journal } = newJournal({}, isShared);
	journal.finish('1');
	journal.erase('a');
	if (isStored) await journal.flush();
	if (isProven) {
		await clock.advance(2 * SECOND);
		await journal.flush();
	}
	if (isStored) row.keys = ['a'];
	const [begun, found] = await Promise.all([journal.begin([{ id: '1' }]), journal.find(['a'])]);
	expect(begun.get('1')?.state).toBe(state);
	expect(found.has('a')).toBe(isStored && state === 'absent');
});

test.each(['that it was begun', 'nothing'])(
	'an end that another process undoes is made again, with its tag, if %s is left',
	async (left) => {
		const { clock, row, journal, undo } = newJournal();
		await journal.begin([
			{ id: '1', tag: 'a', keepsTag: true },
			{ id: '2', tag: 'a' },
		]);
		await clock.advance(SECOND);
		const begun = row.keys;
		journal.finish('1', '2');
		await journal.flush();
		await clock.advance(SECOND);
		// The beginning is proven by now.
		await journal.flush();
		await undo(left === 'nothing' ? [] : begun);
		const keys = row.keys.filter((key) => !/^(wrote|removed) /.test(key));
		expect(keys.sort()).toEqual(['known 1', 'known 1 a', 'known 2']);
	},
);

test.each<[string, (journal: Journal) => void]>([
	['open 1', ({ finish }) => finish('1')],
	['a', ({ erase }) => erase('a')],
])('%s is removed again if another process undoes only that, and goes on', async (key, change) => {
	const { row, store, journal, undo, database } = newJournal();
	await journal.begin([{ id: '1' }]);
	await journal.note(['a']);
	let image: string[] = [];
	database.failsAt = (call) => {
		if (call === 'remove') image = row.keys;
		return false;
	};
	change(journal);
	await journal.flush();
	expect(row.keys).not.toContain(key);
	row.keys = image;
	expect(row.keys).toContain(key);
	const other = newJournal({}, true, { row, store });
	other.journal.finish('2');
	await other.journal.flush();

	await undo(row.keys);

	expect(row.keys).not.toContain(key);
});

test('what is cancelled leaves nothing, also of its tag', async () => {
	const { clock, row, journal } = newJournal({}, false);
	await journal.begin([
		{ id: '1', tag: 'a', keepsTag: true },
		{ id: '2', tag: 'a' },
		{ id: '3', tag: 'a' },
	]);
	journal.cancel('1', '2');
	journal.finish('3');
	// As soon as it may wait no longer, without a call of anybody.
	await clock.advance(60 * SECOND);
	expect(row.keys).toEqual(['known 3']);
});

test('a call to a row that is used all the time is followed by a pause, also for what is asked meanwhile', async () => {
	const { clock, journal, database } = newJournal({ isPaced: true }, false);
	database.slowMs = 100;
	const endedAt: number[] = [];
	const begin = async (id: string) => {
		await journal.begin([{ id }]);
		endedAt.push(clock.elapsed());
	};
	void begin('1');
	await clock.advance(50);
	void begin('2');
	await clock.advance(SECOND);
	expect(endedAt).toEqual([100, 450]);
});

test('a beginning that fails is told to nobody else', async () => {
	const { row, journal, onFailure } = newJournal();
	row.isBroken = true;
	await expect(journal.begin([{ id: '1' }])).rejects.toThrow('database is locked');
	expect(onFailure).not.toHaveBeenCalled();
});

test('a note that is set again after it was erased stays', async () => {
	const { row, journal, undo } = newJournal();
	await journal.note(['a']);
	journal.erase('a');
	await journal.note(['a']);
	await journal.flush();
	expect(row.keys).toContain('a');

	journal.erase('a');
	await journal.flush();
	await journal.note(['a']);
	await undo(['a']);
	expect(row.keys).toContain('a');
});

test('a note that was erased is not found, although another process has written it again', async () => {
	const { row, journal } = newJournal();
	await journal.note(['a', 'b']);
	journal.erase('a');
	await journal.flush();
	row.keys = ['a', 'b'];
	expect([...(await journal.find(['a', 'b', 'c']))]).toEqual(['b']);
});

test('settling ends if other processes undo it again and again', async () => {
	const { clock, row, journal, undo } = newJournal();
	journal.finish('1');
	let endedAt = 0;
	const settled = journal.settle().finally(() => (endedAt = clock.elapsed()));
	for (let calls = 0; calls < 8; calls++) {
		await clock.advance(0);
		row.keys = [];
		await clock.advance(2 * SECOND);
	}
	expect([await settled, endedAt]).toEqual([false, 10 * SECOND]);
	await undo([]);
	expect(row.keys).toContain('known 1');
});

describe('the tag of a fact that is done', () => {
	const begun = async (isKept: boolean, tag: string) => {
		const { row, journal } = newJournal();
		const keepsTag = isKept && { keepsTag: true };
		await journal.begin([{ id: '1', tag: 'a', ...keepsTag }]);
		journal.finish('1');
		await journal.flush();
		const isThere = row.keys.includes('known 1 a');
		return { isThere, ...(await journal.begin([{ id: '1', tag, ...keepsTag }])).get('1') };
	};

	test.each(['a', 'b'])('stays if it is to be kept, and is compared with %s', async (tag) => {
		expect(await begun(true, tag)).toEqual({ isThere: true, state: 'done', hasSameTag: tag === 'a' });
	});

	test('goes if not', async () => {
		expect(await begun(false, 'a')).toEqual({ isThere: false, state: 'done', hasSameTag: false });
	});
});

test('a fact that is begun right after it was cancelled keeps its keys', async () => {
	const { clock, row, journal } = newJournal();
	await journal.begin([{ id: '1' }]);
	journal.cancel('1');
	const begun = await journal.begin([{ id: '2' }, { id: '1' }]);
	await clock.advance(0);
	expect([...begun.values()].map(({ state }) => state)).toEqual(['absent', 'absent']);
	expect(row.keys).toEqual(expect.arrayContaining(['known 1', 'open 1', 'known 2', 'open 2']));
});

test('after the last flush, nobody uses the row any more, also if its calls are slow', async () => {
	const { clock, row, journal, database } = newJournal({ writesWithinMs: SECOND });
	database.slowMs = 2.5 * SECOND;
	journal.finish('1');
	journal.cancel('2');
	await clock.advance(0.5 * SECOND);
	let isFlushed = false;
	let callsUntilThen = 0;
	void journal.flush().then(() => {
		isFlushed = true;
		callsUntilThen = row.calls;
	});

	await clock.advance(60 * SECOND);

	expect([isFlushed, row.calls]).toEqual([true, callsUntilThen]);
});
