import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { keyStoreOf } from '../../n8n/keyStore';
import type { Verdict } from '../deduplication/messageRuns';
import { runStoreOf } from '../deduplication/runRow';
import { isOfDuplicate } from '../deduplication/isDuplicateRun';
import { MAX_EVENT_KEYS } from '../deduplication/processedEvents';
import { keysOf } from '../delivery/event';
import { clock, stateOf } from '../delivery/state';
import { messageIdIn } from './fetchedMessage';
import { isClosed, messageNameOf, runsOf } from './workflowRuns';

/** A run that takes or waits longer than this counts as ended. A Wait node can go on in another process. */
const LONG_RUN_MS = 120_000;

/** n8n 1.x does not tell a node when its execution ends, so a run of some seconds counts as ended. */
const UNKNOWN_END_MS = 3_000;

/** When a fetched message is recorded for its delivered copies, like on a worker. */
const RECORD_DELAY_MS = 250;

/**
 * Whether a fetched message runs in this execution. It does not if it ran before, or runs in another execution of this
 * process, delivered or fetched.
 */
export async function mayRunFetched(context: IExecuteFunctions, json: IDataObject): Promise<boolean> {
	const messageId = messageIdIn(json);
	if (messageId === undefined) return true;
	const name = messageNameOf(context, messageId);
	const executionId = context.getExecutionId();
	const runs = runsOf(context);
	// n8n can run the node again in the same execution, for example with Retry On Fail.
	if (runs.isBegunBy(name, executionId)) return true;
	const { inFlight, processed } = stateOf(context);
	const attempt = inFlight.claim(keysOf(String(json.event_id), json), clock.now());
	// A delivered copy that was dropped here says nothing of the run elsewhere, which may have been cut off.
	if (!attempt.isNew && !isOfDuplicate(attempt.claim)) return false;
	// Also if it runs in another execution: a delivered copy would wait for a claim that nobody settles.
	if (attempt.isNew) attempt.settle(true, clock.now());
	if (!runs.begin(name, executionId)) return false;
	// Without the database, it counts as new: it was looked up before, or has just come in.
	const verdict = await runs.mayRun(name, runStoreOf(context)).catch((): Verdict => 'open');
	if (verdict === 'exhausted') {
		// Otherwise it would be missing for ever, and each look-up would start another execution.
		void runs.end(name, runStoreOf(context));
		context.logger.error(
			`${context.getNode().name}: the message ${messageId} does not run again, because n8n was ended three times while it ran`,
		);
	}
	if (verdict !== 'open') return false;
	processed.remember(attempt.claim, keyStoreOf(context, MAX_EVENT_KEYS), RECORD_DELAY_MS);
	return true;
}

/**
 * Notes that an execution runs a message.
 *
 * @returns false if another execution of this process runs it
 */
export function beginRun(context: IExecuteFunctions, json: IDataObject): boolean {
	const messageId = messageIdIn(json);
	if (messageId === undefined) return true;
	return runsOf(context).begin(messageNameOf(context, messageId), context.getExecutionId());
}

/** Records that the message of an execution ran, when the execution ends. */
export function recordEnd(context: IExecuteFunctions, json: IDataObject): void {
	const messageId = messageIdIn(json);
	if (messageId === undefined) return;
	const name = messageNameOf(context, messageId);
	const runs = runsOf(context);
	const store = runStoreOf(context);
	const finished = new AbortController();
	const isLong = context.onExecutionFinish ? LONG_RUN_MS : UNKNOWN_END_MS;
	void clock.sleep(isLong, finished.signal).then(
		async () => await runs.end(name, store),
		() => undefined,
	);
	context.onExecutionFinish?.(async () => {
		finished.abort();
		const isEnding = isClosed(context);
		// n8n cuts executions off when it shuts down, after it has ended the triggers.
		if (isEnding && context.getExecutionCancelSignal()?.aborted) return runs.forget(name);
		const saved = runs.end(name, store);
		// Otherwise n8n could exit before it is stored.
		if (isEnding) await saved;
	});
}
