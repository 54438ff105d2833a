import { createMessageRuns, type MessageRuns, type Verdict } from '../deduplication/messageRuns';
import { FETCHED } from '../deduplication/ranBefore';
import { clock } from '../account/clock';
import { stateOf } from '../delivery/state';
import type { TriggerNode, TriggerRun } from '../delivery/trigger';

/** A run that takes or waits longer than this counts as ended. A Wait node can go on in another process. */
const LONG_RUN_MS = 120_000;

/** n8n 1.x does not tell a node when its execution ends, so a run of some seconds counts as ended. */
const UNKNOWN_END_MS = 3_000;

/** By workflow, whose executions share what they know with its loops. */
const runsByWorkflow = new Map<string, MessageRuns>();

/** What is known of the messages that ran in a workflow. All its triggers use one row of n8n's database. */
export function runsOf({
	node: { name },
	workflow,
	logger,
}: Pick<TriggerNode, 'node' | 'workflow' | 'logger'>): MessageRuns {
	const workflowId = String(workflow.id);
	const existing = runsByWorkflow.get(workflowId);
	if (existing) return existing;
	const runs = createMessageRuns(clock, () =>
		logger.warn(
			`${name}: the database could not record which messages ran, so some may run again after a restart`,
		),
	);
	runsByWorkflow.set(workflowId, runs);
	return runs;
}

/** The name of a message among those of all triggers of the workflow. */
export function messageNameOf({ node }: Pick<TriggerNode, 'node'>, messageId: string): string {
	return `${node.id} ${messageId}`;
}

/**
 * Whether a fetched message runs in this execution. It does not if it ran before, or runs in another execution of this
 * process, delivered or fetched.
 *
 * @param keys those of its event
 */
export async function mayRunFetched(
	run: TriggerRun,
	keys: readonly string[],
	messageId: string,
): Promise<boolean> {
	const name = messageNameOf(run, messageId);
	const { executionId, node, logger } = run;
	const runs = runsOf(run);
	// n8n can run the node again in the same execution, for example with Retry On Fail.
	if (runs.isBegunBy(name, executionId)) return true;
	const { inFlight, processed } = stateOf(run);
	const attempt = inFlight.claim(keys);
	// A delivered copy that was dropped here says nothing of the run elsewhere, which may have been cut off.
	if (!attempt.isNew && !attempt.claim.ranElsewhere) return false;
	// Also if it runs in another execution: a delivered copy would wait for a claim that nobody settles.
	if (attempt.isNew) attempt.settle(true);
	if (!runs.begin(name, executionId)) return false;
	// Without the database, it counts as new, also if n8n has recovered its execution: losing it would be worse.
	const verdict = await runs.mayRun(name, run.workflowRow).catch((): Verdict => {
		logger.warn(
			`${node.name}: the database could not be asked whether the message ${messageId} ran before, so it may run twice`,
		);
		return 'open';
	});
	if (verdict === 'exhausted') {
		// A run that stays open would start another execution at each look-up, forever.
		void runs.end(name, run.workflowRow);
		logger.error(
			`${node.name}: the message ${messageId} does not run again, because n8n was ended three times while it ran`,
		);
	}
	if (verdict !== 'open') return false;
	processed.finish(attempt.claim.keys, run.row, FETCHED);
	return true;
}

/**
 * Notes that an execution runs a message.
 *
 * @returns false if another execution of this process runs it
 */
export function beginRun(run: TriggerRun, messageId: string): boolean {
	return runsOf(run).begin(messageNameOf(run, messageId), run.executionId);
}

/** Records that the message of an execution ran, when the execution ends. */
export function recordEnd(run: TriggerRun, messageId: string): void {
	const name = messageNameOf(run, messageId);
	const runs = runsOf(run);
	const { workflowRow, onFinish, cancelled } = run;
	const finished = new AbortController();
	const maxRunMs = onFinish ? LONG_RUN_MS : UNKNOWN_END_MS;
	void clock.sleep(maxRunMs, finished.signal).then(
		async () => await runs.end(name, workflowRow),
		() => undefined,
	);
	onFinish?.(async () => {
		finished.abort();
		const isEnding = stateOf(run).isClosed;
		// n8n cuts executions off when it shuts down, after it has ended the triggers.
		if (isEnding && cancelled?.aborted) return runs.forget(name);
		const saved = runs.end(name, workflowRow);
		// n8n could exit before the run is stored.
		if (isEnding) await saved;
	});
}
