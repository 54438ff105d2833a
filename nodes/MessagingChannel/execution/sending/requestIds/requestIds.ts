import type { Clock } from '../../../api/clock';
import { messageOf } from '../../../api/errors';
import type { ActionRun } from '../../../n8n/actionRun';
import type { SendClaims } from '../sendClaims';
import { sendStoreOf } from '../sendStore';
import type { FindNotQueued } from '../sendJournal';
import { createBatches } from './batches';
import { createClaims } from './claims';
import { createHeartbeat } from './heartbeat';
import { joinNode, leaveNode, type NodeRequests } from './nodeRequests';
import { RUNNING_KEY, type IdentifiedSend } from './requestKeys';
import { createRequestRow } from './requestRow';

/**
 * Opens the claims of request IDs. All executions of a process share them. Call `close` at the end.
 *
 * @param sends the sends of this execution that have an ID, in order
 */
export function requestIdsOf(
	run: ActionRun,
	clock: Clock,
	sends: readonly IdentifiedSend[],
	findNotQueued: FindNotQueued,
): SendClaims {
	const name = run.nodeKey;
	const node = joinNode(name);
	const ended = new AbortController();
	const onFailure = (error: unknown) =>
		run.logger.warn(`n8n could not store which request IDs were used: ${messageOf(error)}`);
	const row = createRequestRow(node, sendStoreOf(run), clock, ended.signal, onFailure);
	const heartbeat = createHeartbeat(node, row, clock, ended.signal);
	const batches = createBatches(node, row, clock, sends, heartbeat, findNotQueued);
	const beating = heartbeat.keepBeating().catch(() => undefined);
	const claims = createClaims(node, row, batches);
	/** Removes what this execution has recorded and never sent, and what only running executions need. */
	const cleanUp = async (): Promise<void> => {
		claims.forgetUnsent();
		if (node.executions === 1) {
			if (node.mayBeInterrupted === false && !isAnyUnconfirmed(node)) node.unneededKeys.add(RUNNING_KEY);
			heartbeat.end();
		}
		await row.flush();
	};
	return {
		...claims,
		async close() {
			ended.abort();
			await beating;
			claims.releaseAll();
			await node.inSeries(cleanUp).catch(onFailure);
			leaveNode(name, node);
		},
	};
}

function isAnyUnconfirmed({ states }: NodeRequests): boolean {
	return [...states.values()].some(({ kind }) => kind === 'unconfirmed');
}
