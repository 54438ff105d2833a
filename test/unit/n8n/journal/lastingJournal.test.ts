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
	await clock.advance(SECOND);
	row.keys = [];
	await clock.advance(10 * SECOND);
	expect(row.keys).toEqual(['known 1', 'known 2']);

	row.keys = [];
	const { calls } = row;
	await clock.advance(60 * SECOND);
	expect(row.calls).toBe(calls);
});

test('what the database fails to store is written soon after', async () => {
	const { clock, row, journal, onFailure } = newProcess();
	row.isBroken = true;
	journal(false).finish('1');
	await clock.advance(SECOND);
	expect(onFailure).toHaveBeenCalled();
	row.isBroken = false;
	await clock.advance(2 * SECOND);
	expect(row.keys).toEqual(['known 1']);
});

test('another process may use the row as soon as one execution says so', async () => {
	const { clock, row, journal } = newProcess();
	for (const isShared of [true, false]) journal(isShared).finish('1');
	await clock.advance(SECOND);
	row.keys = [];
	await clock.advance(10 * SECOND);
	expect(row.keys).toEqual(['known 1']);
});
