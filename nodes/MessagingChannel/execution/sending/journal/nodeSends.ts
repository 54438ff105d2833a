import type { Clock } from '../../../api/clock';
import type { Fact, Ground, Journal } from '../../../n8n/journal/contract';
import { createJournal } from '../../../n8n/journal/journal';
import { createRoom, type Room } from '../../../n8n/journal/room';
import type { EarlierRequest } from '../sendJournal';
import { newHeartbeatState, type HeartbeatState } from './heartbeat';
import { createSendTimes, type SendTimes } from './sendTimes';

/** How long a confirmed send may wait for a call to the row, so that n8n can be killed at any time. */
const WRITES_WITHIN_MS = 1000;

/** What this process knows about a send. */
export type SendState =
	/** It is being begun or is in flight. Nobody else may make it. */
	{ kind: 'busy'; ended: Promise<void> } | KnownState;

/** What this process knows about a send that nobody has in their hands. */
export type KnownState =
	/** Begun by an execution of this process, and not sent yet. */
	| { kind: 'begun'; fact: Fact }
	| { kind: 'done' }
	| { kind: 'otherwise' }
	/** It may have been made. `earlier` is not set if this process has made it, or looked for it. */
	| { kind: 'open'; fact: Fact; earlier?: EarlierRequest };

/** What the running executions of this process share about the sends of one node. */
export interface NodeSends {
	/** Those of its running executions. */
	clocks: Clock[];
	ground: Ground;
	journal: Journal;
	room: Room;
	times: SendTimes;
	heartbeat: HeartbeatState;
	states: Map<string, SendState>;
}

/** By node, as its executions share one row of the database. */
const nodes = new Map<string, NodeSends>();

/**
 * Joins the running executions of a node.
 *
 * @param name identifies the workflow and the node
 * @param ground what this execution has of n8n
 */
export function joinNode(name: string, ground: Ground & { clock: Clock }): NodeSends {
	const node = nodes.get(name) ?? newNode(ground);
	nodes.set(name, node);
	node.clocks.push(ground.clock);
	const { clock, isShared } = node.ground;
	Object.assign(node.ground, ground, { clock, isShared: isShared || ground.isShared });
	return node;
}

/**
 * Forgets the node with its last execution, unless something is still to be written: another journal would use the row at the
 * same time.
 */
export function leaveNode(name: string, node: NodeSends, clock: Clock, isWritten: boolean): void {
	node.clocks.splice(node.clocks.indexOf(clock), 1);
	if (node.clocks.length > 0) return;
	if (isWritten) nodes.delete(name);
	// The next execution asks the row for everything else.
	else for (const [id, { kind }] of node.states) if (kind !== 'done') node.states.delete(id);
}

function newNode({ clock, ...rest }: Ground & { clock: Clock }): NodeSends {
	const clocks: Clock[] = [];
	// An execution that is stopped ends its own waits, not those of others.
	const sleep = async (ms: number) => await Promise.any(clocks.map(async (each) => await each.sleep(ms)));
	const ground = { ...rest, clock: { elapsed: clock.elapsed, sleep } };
	const journal = createJournal(ground, { writesWithinMs: WRITES_WITHIN_MS });
	return {
		clocks,
		ground,
		journal,
		room: createRoom(journal, clock),
		times: createSendTimes(journal, clock),
		heartbeat: newHeartbeatState(),
		states: new Map(),
	};
}
