import type { Policy } from '../../../../nodes/MessagingChannel/n8n/journal/contract';
import { createJournal } from '../../../../nodes/MessagingChannel/n8n/journal/journal';
import { manualClock } from '../../../support/engine/manualClock';
import { newKeyStore } from '../../../support/engine/keyRow';

const SECOND = 1_000;

/** A journal whose row another process can overwrite. */
function newJournal(policy: Partial<Policy> = {}) {
	const clock = manualClock(0);
	const { row, store } = newKeyStore();
	const onFailure = jest.fn();
	const ground = { row: store, clock, isShared: true, onFailure };
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
	return { clock, row, journal, undo, wait, onFailure };
}

describe('what was begun, and another process undid', () => {
	test('is open again', async () => {
		const { row, journal, undo } = newJournal();
		await journal.begin([{ id: '1' }, { id: '2' }]);
		await undo([]);
		expect(row.keys).toEqual(expect.arrayContaining(['known 1', 'open 1', 'known 2', 'open 2']));
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

test('a beginning of what is done leaves the row as it was', async () => {
	const { clock, row, journal } = newJournal();
	row.keys = ['known 1'];
	await journal.begin([{ id: '1' }]);
	await clock.advance(0);
	expect(row.keys).toEqual(['known 1']);
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

	test('counts as open if other processes undo it again and again', async () => {
		const { clock, row, journal } = newJournal();
		const begun = journal.begin([{ id: '1' }], true);
		for (let calls = 0; calls < 6; calls++) {
			await clock.advance(0);
			row.keys = [];
			await clock.advance(2 * SECOND);
		}
		expect((await begun).get('1')?.state).toBe('open');
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

describe('the tag of a fact that is done', () => {
	const begun = async (keepsTag: boolean, tag: string) => {
		const { row, journal } = newJournal();
		await journal.begin([{ id: '1', tag: 'a', keepsTag }]);
		journal.finish('1');
		await journal.flush();
		const isKept = row.keys.includes('known 1 a');
		return { isKept, ...(await journal.begin([{ id: '1', tag, keepsTag }])).get('1') };
	};

	test.each(['a', 'b'])('stays if it is to be kept, and is compared with %s', async (tag) => {
		expect(await begun(true, tag)).toEqual({ isKept: true, state: 'done', hasSameTag: tag === 'a' });
	});

	test('goes if not', async () => {
		expect(await begun(false, 'a')).toEqual({ isKept: false, state: 'done', hasSameTag: false });
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
	const clock = manualClock(0);
	const { row, store } = newKeyStore();
	const slow = async <T>(call: () => Promise<T>) => {
		await clock.sleep(2.5 * SECOND);
		return await call();
	};
	const slowRow = {
		...store,
		record: async (keys: Iterable<string>, max?: number) =>
			await slow(async () => await store.record(keys, max)),
		remove: async (keys: Iterable<string>) => await slow(async () => await store.remove(keys)),
	};
	const ground = { row: slowRow, clock, isShared: true, onFailure: () => {} };
	const journal = createJournal(ground, { writesWithinMs: SECOND });
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
