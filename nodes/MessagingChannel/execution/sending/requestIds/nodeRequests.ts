import { createSerialQueue } from '../../../n8n/serialQueue';
import type { EarlierRequest } from '../sendJournal';
import type { HeartbeatState } from './heartbeat';
import type { RequestRow, SharedRow } from './requestRow';
import type { TimeSteps } from './sendTimes';

/** What this process knows about a request. */
export type RequestState =
	/** Recorded as begun by this process, and not sent yet. */
	| { kind: 'recorded' }
	| { kind: 'sent' }
	/** Begun by an earlier execution. `earlier` is not set if this process has checked it already. */
	| { kind: 'unconfirmed'; earlier?: EarlierRequest }
	| { kind: 'inFlight'; ended: Promise<void>; end: () => void };

/** What the running executions of this process share about the request IDs of one node. */
export interface NodeRequests extends SharedRow, TimeSteps, HeartbeatState {
	/** The number of running executions. */
	executions: number;
	states: Map<string, RequestState>;
	/** The requests that the running executions have recorded as begun, each with the row of the one that did. */
	recordedBy: Map<string, RequestRow>;
	/** The stored text key of each request. */
	textKeys: Map<string, string>;
	/** Requests whose stored keys prove nothing. */
	unproven: Set<string>;
	/** Whether an earlier execution may have left a request unconfirmed; undefined before the first batch. */
	mayBeInterrupted: boolean | undefined;
}

/** By workflow and node. */
const nodes = new Map<string, NodeRequests>();

/**
 * Joins the running executions of a node.
 *
 * @param name identifies the workflow and the node
 */
export function joinNode(name: string): NodeRequests {
	const node = nodes.get(name) ?? newNodeRequests();
	nodes.set(name, node);
	node.executions++;
	return node;
}

/** Forgets the node with its last execution. */
export function leaveNode(name: string, node: NodeRequests): void {
	node.executions--;
	if (node.executions === 0) nodes.delete(name);
}

function newNodeRequests(): NodeRequests {
	return {
		executions: 0,
		states: new Map(),
		recordedBy: new Map(),
		textKeys: new Map(),
		unproven: new Set(),
		mayBeInterrupted: undefined,
		confirmed: new Set(),
		unneededKeys: new Set(),
		recordedAt: 0,
		inSeries: createSerialQueue(),
		ownSteps: new Set(),
		earlierSteps: new Set(),
		lastBeat: undefined,
		isListening: false,
	};
}
