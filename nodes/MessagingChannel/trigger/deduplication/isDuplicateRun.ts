import { sleep } from 'n8n-workflow';

import { REMEMBERED_MS, type Claim, type InFlightEvents } from './inFlightEvents';
import type { ProcessedEvents, Store } from './processedEvents';

/** n8n answers the service while this node begins to run. */
const ANSWER_MS = 5_000;

/**
 * An event counts as done so long after its run began, when a short run is stored, also one of a hundred that are under
 * way. n8n killed before that may have cut the run off, and then it is better to run again if the event comes again than
 * to lose it.
 */
const STORED_AFTER_MS = 3_000;

/** Other workers are told sooner, as a copy of the event may be on its way to one of them. */
const TOLD_AFTER_MS = 250;

/** One run of the trigger. */
export interface TriggerRun {
	eventId: string;
	executionId: string;
	/** In Unix milliseconds. */
	processStarted: number;
}

interface Known {
	inFlight: InFlightEvents;
	processed: ProcessedEvents;
}

/** The execution that runs an event. */
const executions = new WeakMap<Claim, string>();

/**
 * Whether an event that n8n has taken ran before, and remembers it as running now.
 *
 * An event can have two executions in one process: on a worker, and when n8n was killed before it had begun a stored
 * execution. It then begins it after its restart, while the service delivers the event again.
 *
 * @param store n8n's store of this node, which outlives the process
 */
export async function isDuplicateRun(run: TriggerRun, known: Known, store: Store): Promise<boolean> {
	const { eventId, executionId } = run;
	const begun = known.inFlight.claim([`id ${eventId}`], Date.now());
	const { claim: claim } = begun;
	const first = executions.get(claim);
	// n8n may run the node again for one event; that run must not find its own claim.
	if (first !== undefined) return first !== executionId;
	executions.set(claim, executionId);
	if (!begun.isNew) return await ranBeforeRestart(claim, run, known, store);
	begun.settle(true, Date.now());
	return await ranElsewhere(claim, known, store);
}

/**
 * This process took the event. It is remembered only when the service has its answer: one whose answer was lost with
 * n8n comes again, and then has to run. In the first minutes of a process its own memory may miss what the last process
 * took, so the run waits to be told; later nothing waits.
 */
async function ranBeforeRestart(
	claim: Claim,
	{ processStarted }: TriggerRun,
	{ processed }: Known,
	store: Store,
): Promise<boolean> {
	if (claim.at - processStarted > REMEMBERED_MS) {
		void claim.accepted.then((taken) => taken && processed.remember(claim, store, STORED_AFTER_MS));
		return false;
	}
	const isAnswered = await Promise.race([claim.accepted, sleep(ANSWER_MS).then(() => false)]);
	if (!isAnswered) return false;
	if (await processed.wasProcessed(claim, store)) return true;
	processed.remember(claim, store, STORED_AFTER_MS);
	return false;
}

/**
 * Another process took the event, and its copies may have come to others still: when one of them was restarted, or where
 * the load balancer does not keep an event to one process. A worker knows what it ran itself, and the store what the
 * other workers ran.
 */
async function ranElsewhere(claim: Claim, { processed }: Known, store: Store): Promise<boolean> {
	if (await processed.wasProcessed(claim, store)) return true;
	processed.remember(claim, store, TOLD_AFTER_MS);
	return false;
}
