import { createLastingJournal } from '../../../../nodes/MessagingChannel/n8n/journal/lastingJournal';
import { manualClock } from '../../../support/engine/manualClock';
import { newKeyStore } from '../../../support/engine/keyRow';

const SECOND = 1_000;

/** A process, and an execution of it. */
function newProcess() {
	const clock = manualClock(0);
	const { row, store } = newKeyStore();
	const journalOf = createLastingJournal({ writesWithinMs: 250 });
	const onFailure = jest.fn();
	const journal = (isShared = true) => journalOf({ row: store, clock, isShared, onFailure });
	return { clock, row, journal, onFailure };
}

test('what another process undoes is written again, also what is finished while that is checked', async () => {
	const { clock, row, journal } = newProcess();
	journal().finish('1');
	await clock.advance(1.5 * SECOND);
	journal().finish('2');
	await clock.advance(0.5 * SECOND);
	row.keys = [];
	for (const seconds of [2, 2, 6]) await clock.advance(seconds * SECOND);
	expect(row.keys).toEqual(['known 1', 'known 2']);

	row.keys = [];
	const { calls } = row;
	await clock.advance(60 * SECOND);
	expect(row.calls).toBe(calls);
});

test.each([
	['is written soon after', 8, 0],
	['for long is told, and written with the next call', 20, 1],
])('what the database fails to store %s', async (_, seconds, told) => {
	const { clock, row, journal, onFailure } = newProcess();
	row.isBroken = true;
	journal(false).finish('1');
	await clock.advance(seconds * SECOND);
	row.isBroken = false;
	if (told > 0) journal(false).finish('2');
	await clock.advance(10 * SECOND);
	expect(row.keys).toContain('known 1');
	expect(onFailure.mock.calls).toEqual(Array.from({ length: told }, () => [new Error('database is locked')]));
});

test('another process may use the row as soon as one execution says so', async () => {
	const { clock, row, journal } = newProcess();
	for (const isShared of [true, false]) journal(isShared).finish('1');
	await clock.advance(SECOND);
	row.keys = [];
	// As soon as no older call can undo it: a copy of an event may be waiting for it.
	for (const seconds of [1.25, 0.25]) await clock.advance(seconds * SECOND);
	expect(row.keys).toContain('known 1');
});
