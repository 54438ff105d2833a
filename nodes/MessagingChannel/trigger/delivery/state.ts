import type { FunctionsBase, IExecuteFunctions } from 'n8n-workflow';

import { nodeKeyOf } from '../../n8n/nodeKey';
import { clock } from '../account/clock';
import { createChatBuffer, type ChatBuffer } from '../combining/chatBuffer';
import { createGroupCommit, type GroupCommit } from '../combining/groupCommit';
import { createInFlightEvents, type InFlightEvents } from '../deduplication/inFlightEvents';
import { createProcessedEvents, type ProcessedEvents } from '../deduplication/processedEvents';
import { createSecretCache } from './secretCache';
import { createSecretChecks } from './secretChecks';
import { createFailureCount, createThrottledLog, type FailureCount, type ThrottledLog } from './throttling';

/** The state of one trigger in this process. */
export interface TriggerState {
	inFlight: InFlightEvents;
	groupCommit: GroupCommit;
	chatBuffer: ChatBuffer;
	processed: ProcessedEvents;
	/** Logs a line, not too often. */
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
	/** Whether n8n is ending or has ended it in this process. */
	isClosed: boolean;
	/** When it was asked for the last time, by `clock.elapsed`. */
	usedAt: number;
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
	const key = keyOf(caller, caller.getMode() === 'manual');
	const state = states.get(key) ?? createState(caller);
	state.usedAt = clock.elapsed();
	if (!states.has(key)) releaseStates();
	states.set(key, state);
	return state;
}

function createState(caller: TriggerContext): TriggerState {
	const { logger } = caller;
	const { id: workflowId } = caller.getWorkflow();
	const { name } = caller.getNode();
	const log = createThrottledLog((line) => logger.warn(`${name} in workflow ${workflowId}: ${line}`));
	return {
		inFlight: createInFlightEvents(),
		groupCommit: createGroupCommit(clock),
		chatBuffer: createChatBuffer(clock),
		processed: createProcessedEvents(clock, () =>
			log('The database could not be checked for duplicates of an event, so the event counts as new'),
		),
		log,
		signatureFailures: createFailureCount(),
		unreadableCredential: createFailureCount(),
		formerAccount: createFailureCount(),
		unreadable: createFailureCount(),
		heldBack: createFailureCount(),
		isClosed: false,
		usedAt: 0,
	};
}

/** Passes on what waits, because n8n unpublishes the trigger or shuts down. */
export function flushChats(caller: Pick<TriggerContext, 'getWorkflow' | 'getNode'>): void {
	states.get(keyOf(caller, false))?.chatBuffer.flush();
}

function keyOf(caller: Pick<TriggerContext, 'getWorkflow' | 'getNode'>, isTest: boolean): string {
	return `${nodeKeyOf(caller)} ${isTest}`;
}

/** Longer than a delivery takes, and than what was told of a trigger must be remembered. */
const UNUSED_MS = 24 * 60 * 60_000;

/**
 * Removes the states of triggers that nobody has used for a day and that hold no event. A webhook processor is not told when a
 * workflow is unpublished, so the first event of a new trigger also removes old states.
 */
export function releaseStates(): void {
	const isUnused = ({ usedAt, inFlight }: TriggerState) =>
		clock.elapsed() - usedAt >= UNUSED_MS && inFlight.isEmpty(Date.now());
	for (const [key, state] of states) if (isUnused(state)) states.delete(key);
}

/**
 * What n8n keeps of a published trigger with its workflow. n8n saves a change only while it starts or ends the trigger. All
 * times are Unix milliseconds of n8n's clock. Workflows hold the names, so these must not change.
 */
export interface SavedState {
	/** The URL of the trigger; not set while it polls. */
	webhookUrl?: string;
	/** The account that it was published for, if the service names it. */
	accountId?: string;
	/** A digest of the base URL and the API key that the webhook was set with, until it is given back. */
	accountKey?: string;
	/** An account before, whose webhook nobody has given back. */
	formerAccountId?: string;
	/** Of the signing secret that the service has shown to be right; see `secretDigestOf`. */
	secretDigest?: string;
	/** The event ID of the sample with which the secret was checked. */
	sampleId?: string;
	/** How long the service waits for a response; kept only if events wait for others. */
	timeoutSeconds?: number;
	/** Since when the trigger has listened without a break. */
	listeningSince?: number;
	/** What it listens to, so that another trigger or another filter begins anew. */
	listeningTo?: string;
	/** When n8n ended the trigger the last time. */
	endedAt?: number;
	/** The same, but before n8n's failures to start it again. */
	listenedUntil?: number;
}

/** What is saved of a trigger. A change of the returned object is saved. */
export function savedStateOf(context: Pick<FunctionsBase, 'getWorkflowStaticData'>): SavedState {
	return context.getWorkflowStaticData('node') as SavedState;
}
