import type { IExecuteFunctions } from 'n8n-workflow';

import { systemClock } from '../../api/clock';
import { createThrottledLog, type ThrottledLog } from './throttledLog';
import { createInFlightEvents, type InFlightEvents } from '../deduplication/inFlightEvents';
import { createProcessedEvents, type ProcessedEvents } from '../deduplication/processedEvents';
import { createSecretCache } from './secretCache';
import { createSignatureFailures, type SignatureFailures } from './signatureFailures';

/** Which account an API key belongs to. */
export interface AccountOfKey {
	id: string;
	/** A digest that tells nothing about the key. */
	key: string;
}

/** What this process knows of one trigger. */
export interface TriggerState {
	inFlight: InFlightEvents;
	processed: ProcessedEvents;
	log: ThrottledLog;
	signatureFailures: SignatureFailures;
	/** The account of the credential's API key, once an event has given reason to ask. */
	account?: AccountOfKey;
}

/** Where a trigger runs: the request that came, or the execution that it started. */
type Caller = Pick<IExecuteFunctions, 'getWorkflow' | 'getNode' | 'getMode' | 'logger'>;

/** The time by which all triggers go. */
export const clock = systemClock();

const states = new Map<string, TriggerState>();

/** The signing secrets of all triggers in this process. */
export const secretCache = createSecretCache();

/** n8n loads the package when it starts. */
export const PROCESS_STARTED = Date.now();

/**
 * What this process knows of a trigger, from its first delivery on. A test listens for itself, so that it takes nothing
 * away from production.
 */
export function stateOf(caller: Caller): TriggerState {
	const { logger } = caller;
	const { id: workflowId } = caller.getWorkflow();
	const { id: nodeId, name: nodeName } = caller.getNode();
	const key = `${workflowId} ${nodeId} ${caller.getMode() === 'manual'}`;
	const known = states.get(key);
	if (known) return known;
	const log = createThrottledLog(
		(line) => logger.warn(`${nodeName} in workflow ${workflowId}: ${line}`),
		clock.sleep,
	);
	const state: TriggerState = {
		inFlight: createInFlightEvents(),
		log,
		signatureFailures: createSignatureFailures(),
		processed: createProcessedEvents(clock, () =>
			log.note(
				'The database could not be checked for duplicates of an event, so the event counts as new',
				Date.now(),
			),
		),
	};
	releaseStates();
	states.set(key, state);
	return state;
}

/**
 * Lets go of the triggers that have nothing to remember: no event under way, and none that could still come again. One
 * that was only published again finds its events as they were. In a webhook processor nobody says that a workflow was
 * unpublished; there, a new trigger's first event makes room.
 */
export function releaseStates(): void {
	const now = Date.now();
	for (const [key, state] of states) if (isEmpty(state, now)) states.delete(key);
}

/** What was told or asked counts too: two triggers that take turns would else each forget that it was. */
function isEmpty({ inFlight, log, signatureFailures, account }: TriggerState, now: number): boolean {
	return account === undefined && inFlight.isEmpty(now) && log.isEmpty(now) && signatureFailures.isEmpty(now);
}
