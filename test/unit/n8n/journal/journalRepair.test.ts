// What another process undoes, or the database does not store, is made again.
import type { Journal } from '../../../../nodes/MessagingChannel/n8n/journal/contract';
import { newJournal, SECOND } from './newJournal';

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

describe.each<[string, (call: string, keys: readonly string[]) => boolean]>([
	['cancelled, and could not be removed', (call) => call === 'remove'],
	['not begun, because its tag could not be stored', (_, keys) => keys.includes('known 1 a')],
])('what was %s', (_, failsAt) => {
	const facts = [{ id: '1', tag: 'a' }];
	test.each([
		['is free as soon as the database can be used', false, 0, 'absent'],
		['stays open if another process can have begun it', true, 0, 'open'],
		['stays open if the database fails for longer', false, 12 * SECOND, 'open'],
		['stays open after a beginning that could not remove it either', false, -1, 'open'],
	])('%s', async (__, isShared, longer, state) => {
		const { clock, journal, database } = newJournal({}, isShared);
		database.failsAt = failsAt;
		await journal.begin(facts).then(
			() => journal.cancel('1'),
			() => {},
		);
		if (longer !== 0) database.failsAt = () => true;
		await journal.flush();
		const settled = longer > 0 ? journal.settle() : undefined;
		await clock.advance(longer);
		await settled;
		database.failsAt = (call) => longer < 0 && call === 'remove';
		const begun = await journal.begin(facts);
		expect(begun.get('1')?.state).toBe(state);
	});
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
