import { sleep } from 'n8n-workflow';

import { TOLERANCE_SECONDS } from '../../api/timestampTolerance';
import type { Row } from '../../n8n/journal/row';
import { RETENTION_MS, type Claim, type InFlightEvents } from './inFlightEvents';
import type { ProcessedEvents } from './processedEvents';

/** How long a run waits for n8n's response to the service, which n8n sends while the run starts. */
const ACCEPTANCE_TIMEOUT_MS = 5_000;

/**
 * The delay before an event of this process is recorded as done, so that n8n has stored the run even under load. If n8n
 * is killed earlier, a redelivered event runs again instead of being lost.
 */
const LOCAL_RECORD_DELAY_MS = 3_000;

/** The delay on a worker. It is shorter, because another worker may already have a duplicate of the event. */
const WORKER_RECORD_DELAY_MS = 250;

/** A worker that has begun an event has recorded it as done by then, also if another one has undone that, unless it was killed. */
const WORKER_DONE_TIMEOUT_MS = 4_500;

/** One run of the trigger. */
export interface TriggerRun {
	/** The keys of its event. */
	keys: readonly string[];
	executionId: string;
	/** Unix time in milliseconds. */
	processStartedAt: number;
	/** When the message came in, if the event is one, in Unix seconds of the service's clock. */
	messageTimestamp?: number;
}

interface EventRecords {
	inFlight: InFlightEvents;
	processed: ProcessedEvents;
}

/** The claims on events that ran elsewhere, so this process does not run them. */
const claimsOfDuplicates = new WeakSet<Claim>();

/** Whether this process has dropped the event of a claim, because it ran elsewhere. */
export function isOfDuplicate(claim: Claim): boolean {
	return claimsOfDuplicates.has(claim);
}

/** The ID of the execution that runs an event, by claim. */
const executionIds = new WeakMap<Claim, string>();

/**
 * Whether another execution has already run an event. If not, records that this execution runs it.
 *
 * One process can have two executions of an event: on a worker, or after a restart. If n8n was killed before it started
 * a stored execution, it starts it after the restart, and the service redelivers the event too.
 *
 * @param row what outlives the process
 */
export async function isDuplicateRun(run: TriggerRun, records: EventRecords, row: Row): Promise<boolean> {
	const { keys, executionId } = run;
	const attempt = records.inFlight.claim(keys, Date.now());
	const { claim } = attempt;
	const firstExecution = executionIds.get(claim);
	// n8n can run the node again in the same execution, for example with Retry On Fail. That is no duplicate.
	if (firstExecution !== undefined) return firstExecution !== executionId || isOfDuplicate(claim);
	executionIds.set(claim, executionId);
	if (attempt.isNew) attempt.settle(true, Date.now());
	const ranElsewhere = attempt.isNew
		? await wasProcessedElsewhere(keys, records, row)
		: await wasProcessedBeforeRestart(claim, run, records, row);
	if (ranElsewhere) claimsOfDuplicates.add(claim);
	return ranElsewhere;
}

/**
 * Whether an earlier process may have run an event: in the first minutes after a restart, and later if its message is older
 * than this process. The clocks may differ by as much as a delivery's timestamp may.
 */
function mayHaveRunBefore(
	claim: Claim,
	{ processStartedAt, messageTimestamp = Infinity }: TriggerRun,
): boolean {
	if (claim.claimedAt - processStartedAt <= RETENTION_MS) return true;
	return (messageTimestamp - TOLERANCE_SECONDS) * 1000 < processStartedAt;
}

/**
 * Checks an event that this process received. The event is recorded only after n8n has accepted it: if the response was
 * lost, the service redelivers the event, and it must run. If an earlier process may have run the event, the run waits for
 * the database.
 */
async function wasProcessedBeforeRestart(
	claim: Claim,
	run: TriggerRun,
	{ processed }: EventRecords,
	row: Row,
): Promise<boolean> {
	const own = { row, isShared: false };
	const recordDone = () => processed.finish(claim.keys, own, LOCAL_RECORD_DELAY_MS);
	if (!mayHaveRunBefore(claim, run)) {
		void claim.accepted.then((wasAccepted) => wasAccepted && recordDone());
		return false;
	}
	const wasAccepted = await Promise.race([claim.accepted, sleep(ACCEPTANCE_TIMEOUT_MS)]);
	if (!wasAccepted) return false;
	if (await processed.begin(claim.keys, own)) return true;
	recordDone();
	return false;
}

/**
 * Checks an event that another process received (queue mode). Duplicates can reach several processes: after a restart,
 * or if the load balancer spreads the deliveries of an event. The database knows what other workers ran. Only a duplicate
 * waits for the other worker.
 */
async function wasProcessedElsewhere(
	keys: readonly string[],
	{ processed }: EventRecords,
	row: Row,
): Promise<boolean> {
	const shared = { row, isShared: true };
	if (await processed.begin(keys, shared, WORKER_DONE_TIMEOUT_MS)) return true;
	processed.finish(keys, shared, WORKER_RECORD_DELAY_MS);
	return false;
}
