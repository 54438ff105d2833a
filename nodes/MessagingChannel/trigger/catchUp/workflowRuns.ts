import type { IDataObject } from 'n8n-workflow';

import { createMessageRuns, type MessageRuns } from '../deduplication/messageRuns';
import { clock } from '../account/clock';
import { stateOf } from '../delivery/state';
import type { TriggerNode, TriggerRun } from '../delivery/trigger';
import { messageIdIn } from './fetchedMessage';

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

/** Notes whether n8n ends a trigger, as it does before it stops the executions when it shuts down. */
export function noteClosed(trigger: Parameters<typeof stateOf>[0], isClosed: boolean): void {
	stateOf(trigger).isClosed = isClosed;
}

/**
 * Notes that an execution runs a message.
 *
 * @returns false if another execution of this process runs it
 */
export function beginRun(run: TriggerRun, json: IDataObject): boolean {
	const messageId = messageIdIn(json);
	if (messageId === undefined) return true;
	return runsOf(run).begin(messageNameOf(run, messageId), run.executionId);
}

/** Records that the message of an execution ran, when the execution ends. */
export function recordEnd(run: TriggerRun, json: IDataObject): void {
	const messageId = messageIdIn(json);
	if (messageId === undefined) return;
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
