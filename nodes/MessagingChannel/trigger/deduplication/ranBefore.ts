import { sleep } from 'n8n-workflow';

import { unixTimeOf, type Clock } from '../../api/clock';
import { TOLERANCE_SECONDS } from '../../api/timestampTolerance';
import type { Policy } from '../../n8n/journal/contract';
import { createLastingJournal } from '../../n8n/journal/lastingJournal';
import type { Row } from '../../n8n/journal/row';
import { RETENTION_MS, type Claim, type InFlightEvents } from './inFlightEvents';

/** At most four keys for each of the latest 2,000 events; about 220 kB. */
const POLICY: Policy = { writesWithinMs: 250, rolls: 8_000, isPaced: true };

/** Where a run's event came in, and what follows for the row. Times in milliseconds. */
export interface Origin {
	/** Whether the trigger runs in several processes. */
	isShared: boolean;
	/** How long another process may take to record an event as done that it runs. Only a duplicate waits for it. */
	doneWithinMs: number;
	/** When a run is recorded. */
	recordAfterMs: number;
}

/**
 * In this process. Recorded when n8n has stored the run even under load: if n8n is killed earlier, a redelivered event runs again
 * instead of being lost.
 */
const HERE: Origin = { isShared: false, doneWithinMs: 0, recordAfterMs: 3_000 };

/**
 * In another process (queue mode). Duplicates can reach several: after a restart, or if the load balancer spreads the deliveries of
 * an event. So it is recorded soon, by then also if another worker has undone that, unless the worker was killed.
 */
const ELSEWHERE: Origin = { isShared: true, doneWithinMs: 4_500, recordAfterMs: 250 };

/** It was fetched, and is recorded for its delivered copies. */
export const FETCHED: Origin = { isShared: false, doneWithinMs: 0, recordAfterMs: 250 };

/**
 * The processed events of one trigger, in n8n's database. Each key of an event is a fact, as a copy may have only one of them. An
 * event that was cut off however often is open, and its redelivery runs.
 */
export interface ProcessedEvents {
	/** Whether an event has run in any process. If not, records that this process runs it. */
	begin(keys: readonly string[], row: Row, origin: Origin): Promise<boolean>;
	/** Records the event as done, when its time has come. */
	finish(keys: readonly string[], row: Row, origin: Origin): void;
}

/**
 * Creates the access to a trigger's row.
 *
 * @param onFailure called if the database cannot be used; an event that begins then counts as new
 */
export function createProcessedEvents(
	clock: Pick<Clock, 'elapsed' | 'sleep'>,
	onFailure: (error: unknown) => void,
): ProcessedEvents {
	const lastingJournalOf = createLastingJournal(POLICY);
	const journalOf = (row: Row, { isShared }: Origin) => lastingJournalOf({ row, isShared, clock, onFailure });

	const stateOf = async (keys: readonly string[], row: Row, origin: Origin) => {
		try {
			const begun = await journalOf(row, origin).begin(keys.map((id) => ({ id })));
			const states = keys.map((key) => begun.get(key)?.state);
			return (['done', 'open'] as const).find((state) => states.includes(state));
		} catch (error) {
			onFailure(error);
			return undefined;
		}
	};

	return {
		async begin(keys, row, origin) {
			const state = await stateOf(keys, row, origin);
			if (state !== 'open') return state === 'done';
			await clock.sleep(origin.doneWithinMs);
			return (await stateOf(keys, row, origin)) === 'done';
		},
		finish: (keys, row, origin) =>
			void clock.sleep(origin.recordAfterMs).then(() => journalOf(row, origin).finish(...keys)),
	};
}

/** How long a run waits for n8n's response to the service, which n8n sends while the run starts. */
const ACCEPTANCE_TIMEOUT_MS = 5_000;

/** One run of the trigger. */
export interface TriggerRun {
	/** The keys of its event. */
	keys: readonly string[];
	executionId: string;
	/** By `clock.elapsed`. */
	processStartedAt: number;
	/** When the message came in, if the event is one, in Unix seconds of the service's clock. */
	messageTimestamp?: number;
}

/**
 * Whether another execution has already run an event. If not, records that this execution runs it.
 *
 * One process can have two executions of an event: on a worker, or after a restart. If n8n was killed before it started
 * a stored execution, it starts it after the restart, and the service redelivers the event too. What this process received is
 * recorded only after n8n has accepted it: if the response was lost, the service redelivers the event, and it must run.
 *
 * @param row what outlives the process
 */
export async function isDuplicateRun(
	run: TriggerRun,
	{ inFlight, processed }: { inFlight: InFlightEvents; processed: ProcessedEvents },
	row: Row,
	clock: Pick<Clock, 'now' | 'elapsed'>,
): Promise<boolean> {
	const { keys, executionId } = run;
	const attempt = inFlight.claim(keys);
	const { claim } = attempt;
	// n8n can run the node again in the same execution, for example with Retry On Fail. That is no duplicate.
	if (claim.executionId !== undefined) return claim.executionId !== executionId || claim.ranElsewhere;
	claim.executionId = executionId;
	const origin = attempt.isNew ? ELSEWHERE : HERE;
	const recordDone = () => processed.finish(claim.keys, row, origin);
	if (attempt.isNew) attempt.settle(true);
	else if (!mayHaveRunBefore(claim, run, clock)) {
		void claim.accepted.then((wasAccepted) => wasAccepted && recordDone());
		return false;
	} else if (!(await Promise.race([claim.accepted, sleep(ACCEPTANCE_TIMEOUT_MS)]))) return false;
	claim.ranElsewhere = await processed.begin(claim.keys, row, origin);
	recordDone();
	return claim.ranElsewhere;
}

/**
 * Whether an earlier process may have run an event: in the first minutes after a restart, and later if its message is older
 * than this process. The clocks may differ by as much as a delivery's timestamp may.
 */
function mayHaveRunBefore(
	claim: Claim,
	{ processStartedAt, messageTimestamp = Infinity }: TriggerRun,
	clock: Pick<Clock, 'now' | 'elapsed'>,
): boolean {
	if (claim.claimedAt - processStartedAt <= RETENTION_MS) return true;
	return (messageTimestamp - TOLERANCE_SECONDS) * 1000 < unixTimeOf(processStartedAt, clock);
}
