import type { IExecuteFunctions } from 'n8n-workflow';

import { clock } from '../account/clock';
import { nodeKeyOf } from '../../n8n/nodeKey';
import { createThrottledLog, type ThrottledLog } from './throttledLog';
import { createChatBuffer, type ChatBuffer } from '../combining/chatBuffer';
import { createGroupCommit, type GroupCommit } from '../combining/groupCommit';
import { createInFlightEvents, type InFlightEvents } from '../deduplication/inFlightEvents';
import { createProcessedEvents, type ProcessedEvents } from '../deduplication/processedEvents';
import { createSecretCache } from './secretCache';
import { createSecretChecks } from './secretChecks';
import { createFailureCount, type FailureCount } from './failureCount';

/** The state of one trigger in this process. */
export interface TriggerState {
	inFlight: InFlightEvents;
	groupCommit: GroupCommit;
	chatBuffer: ChatBuffer;
	processed: ProcessedEvents;
	log: ThrottledLog;
	/** The deliveries that look like the service's own but have a wrong signature. */
	signatureFailures: FailureCount;
	/** How often n8n could not read the credential. */
	unreadableCredential: FailureCount;
	/** That the webhook of an account before is told. */
	formerAccount: FailureCount;
	/** What is not understood of what the service sends. */
	unreadable: FailureCount;
	/** The events that the trigger must not start with, because of the settings of its node. */
	heldBack: FailureCount;
}

/** The n8n context of a delivery or of the execution that it started. */
type TriggerContext = Pick<IExecuteFunctions, 'getWorkflow' | 'getNode' | 'getMode' | 'logger'>;

/** By trigger, which n8n loads anew for each delivery. */
const states = new Map<string, TriggerState>();

/** The signing secrets of all triggers in this process: to read a credential costs more than the rest of a delivery. */
export const secretCache = createSecretCache();

/** The checks of these secrets. The delivery of a sample names only a token, not its trigger. */
export const secretChecks = createSecretChecks();

/** Unix time in milliseconds. n8n loads the package when it starts. */
export const PROCESS_STARTED_AT = Date.now();

/**
 * The state of a trigger, created at its first delivery. Test runs have a separate state, so that they do not claim
 * production events.
 */
export function stateOf(caller: TriggerContext): TriggerState {
	const { logger } = caller;
	const { id: workflowId } = caller.getWorkflow();
	const { name: nodeName } = caller.getNode();
	const key = keyOf(caller, caller.getMode() === 'manual');
	const existing = states.get(key);
	if (existing) return existing;
	const log = createThrottledLog(
		(line) => logger.warn(`${nodeName} in workflow ${workflowId}: ${line}`),
		clock.sleep,
	);
	const state: TriggerState = {
		inFlight: createInFlightEvents(),
		groupCommit: createGroupCommit(clock),
		chatBuffer: createChatBuffer(clock),
		log,
		signatureFailures: createFailureCount(),
		unreadableCredential: createFailureCount(),
		formerAccount: createFailureCount(),
		unreadable: createFailureCount(),
		heldBack: createFailureCount(),
		processed: createProcessedEvents(clock, () =>
			log.note(
				'The database could not be checked for duplicates of an event, so the event counts as new',
				clock.elapsed(),
			),
		),
	};
	releaseStates();
	states.set(key, state);
	return state;
}

/** Passes on what waits, because n8n unpublishes the trigger or shuts down. */
export function flushChats(caller: Pick<TriggerContext, 'getWorkflow' | 'getNode'>): void {
	states.get(keyOf(caller, false))?.chatBuffer.flush();
}

function keyOf(caller: Pick<TriggerContext, 'getWorkflow' | 'getNode'>, isTest: boolean): string {
	return `${nodeKeyOf(caller)} ${isTest}`;
}

/**
 * Removes the states that hold nothing to remember. A republished trigger keeps its recent events. A webhook processor is
 * not told when a workflow is unpublished, so the first event of a new trigger also removes old states.
 */
export function releaseStates(): void {
	for (const [key, state] of states) if (isEmpty(state)) states.delete(key);
}

/** The log and the reported failures, too, so that alternating triggers do not lose them. */
function isEmpty({ inFlight, log, ...state }: TriggerState): boolean {
	const { signatureFailures, unreadableCredential, formerAccount, unreadable, heldBack } = state;
	const counts = [signatureFailures, unreadableCredential, formerAccount, unreadable, heldBack];
	const now = clock.elapsed();
	return inFlight.isEmpty(Date.now()) && [log, ...counts].every((each) => each.isEmpty(now));
}
