import type { Policy } from '../../../../nodes/MessagingChannel/n8n/journal/contract';
import { createJournal } from '../../../../nodes/MessagingChannel/n8n/journal/journal';
import type { Row } from '../../../../nodes/MessagingChannel/n8n/journal/row';
import { manualClock } from '../../../support/engine/manualClock';
import { newKeyStore } from '../../../support/engine/keyRow';

export const SECOND = 1_000;

interface Database {
	failsAt: (call: keyof Row, keys: readonly string[]) => boolean;
	slowMs: number;
}

/** A journal whose row another process can overwrite. */
export function newJournal(policy: Partial<Policy> = {}, isShared = true, { row, store } = newKeyStore()) {
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
