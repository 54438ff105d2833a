import type { Fact } from '../../../../nodes/MessagingChannel/n8n/journal/contract';
import { newJournal, SECOND } from './newJournal';

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
	expect((await journal.peek(['1'])).get('1')).toBe('done');
	expect(await journal.flush()).toBe(true);
	expect(row.keys.filter((key) => /^(known|open) /.test(key))).toEqual(['known 1', 'known 2', 'open 2']);
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
