import type { FunctionsBase } from 'n8n-workflow';

import { nodeKeyOf } from '../../n8n/nodeKey';
import { createMessageRuns, type MessageRuns } from '../deduplication/messageRuns';
import { clock } from '../delivery/state';

type RunContext = Pick<FunctionsBase, 'getWorkflow' | 'getNode' | 'logger'>;

const runsByWorkflow = new Map<string, MessageRuns>();

/** The triggers that n8n is ending or has ended in this process. */
const closed = new Set<string>();

/** What is known of the messages that ran in a workflow. All its triggers use one row of n8n's database. */
export function runsOf(context: RunContext): MessageRuns {
	const workflowId = String(context.getWorkflow().id);
	const existing = runsByWorkflow.get(workflowId);
	if (existing) return existing;
	const { logger } = context;
	const { name } = context.getNode();
	const runs = createMessageRuns(clock, () =>
		logger.warn(
			`${name}: the database could not record which messages ran, so some may run again after a restart`,
		),
	);
	runsByWorkflow.set(workflowId, runs);
	return runs;
}

/** The name of a message among those of all triggers of the workflow. */
export function messageNameOf(context: Pick<RunContext, 'getNode'>, messageId: string): string {
	return `${context.getNode().id} ${messageId}`;
}

/** Notes whether n8n ends a trigger, as it does before it stops the executions when it shuts down. */
export function noteClosed(context: RunContext, isClosed: boolean): void {
	const key = nodeKeyOf(context);
	if (isClosed) closed.add(key);
	else closed.delete(key);
}

/** Whether n8n is ending a trigger or has ended it. */
export function isClosed(context: RunContext): boolean {
	return closed.has(nodeKeyOf(context));
}
