import type { Clock } from '../../api/clock';
import type { Policy } from '../../n8n/journal/contract';
import type { State } from '../../n8n/journal/encoding';
import { createLastingJournal } from '../../n8n/journal/lastingJournal';
import type { Row } from '../../n8n/journal/row';

/** At most four keys for each of the latest 2,000 events; about 220 kB. */
const POLICY: Policy = { writesWithinMs: 250, rolls: 8_000, isPaced: true };

/** Where a trigger's executions remember events: its row in n8n's database. */
export interface EventRow {
	row: Row;
	/** Whether the trigger runs in several processes. */
	isShared: boolean;
}

/**
 * The processed events of one trigger, in n8n's database. Each key of an event is a fact, as a copy may have only one of them. An
 * event that was cut off however often is open, and its redelivery runs.
 */
export interface ProcessedEvents {
	/**
	 * Whether an event has run in any process. If not, records that this process runs it.
	 *
	 * @param doneAfterMs how long another process may take to record an event as done that it runs
	 */
	begin(keys: readonly string[], row: EventRow, doneAfterMs?: number): Promise<boolean>;
	/** Records the event as done, soon after `afterMs` milliseconds. */
	finish(keys: readonly string[], row: EventRow, afterMs: number): void;
}

/**
 * Creates the access to a trigger's row.
 *
 * @param onFailure called if the database cannot be used; an event that begins then counts as new
 */
export function createProcessedEvents(
	clock: Pick<Clock, 'now' | 'sleep'>,
	onFailure: (error: unknown) => void,
): ProcessedEvents {
	const journalOf = createLastingJournal(POLICY);

	const stateOf = async (keys: readonly string[], row: EventRow): Promise<State> => {
		const facts = keys.map((id) => ({ id }));
		const begun = await journalOf({ ...row, clock, onFailure }).begin(facts);
		const states = keys.map((key) => begun.get(key)?.state);
		return (['done', 'open'] as const).find((state) => states.includes(state)) ?? 'absent';
	};

	return {
		async begin(keys, row, doneAfterMs = 0) {
			const look = async () =>
				await stateOf(keys, row).catch((error: unknown) => {
					onFailure(error);
					return 'absent' as const;
				});
			const state = await look();
			if (state !== 'open' || doneAfterMs === 0) return state === 'done';
			await clock.sleep(doneAfterMs);
			return (await look()) === 'done';
		},
		finish: (keys, row, afterMs) =>
			void clock.sleep(afterMs).then(() => journalOf({ ...row, clock, onFailure }).finish(...keys)),
	};
}
