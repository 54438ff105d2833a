import { clock } from '../account/clock';
import { createCombiner, type Combiner } from '../combining/combiner';
import { createInFlightEvents, type InFlightEvents } from '../deduplication/inFlightEvents';
import { createProcessedEvents, type ProcessedEvents } from '../deduplication/ranBefore';
import { createSecretCache, createSecretChecks } from './secrets';
import { createFailureCount, createTeller, type FailureCount, type Teller } from './told';
import type { TriggerNode } from './trigger';

/** The state of one trigger in this process. */
export interface TriggerState {
	inFlight: InFlightEvents;
	/** Those that are being forwarded to a receiver, or that it has. */
	forwarded: InFlightEvents;
	combiner: Combiner;
	processed: ProcessedEvents;
	/** Logs a line, the same at most once a minute. */
	log: (line: string) => void;
	/** What executions report, the same at most once an hour. */
	reports: Teller;
	/** The deliveries that look like the service's own but have a wrong signature. */
	signatureFailures: FailureCount;
	/** How often n8n could not read the credential. */
	unreadableCredential: FailureCount;
	/** Whether n8n is ending or has ended it in this process. */
	isClosed: boolean;
	/** How often n8n began to publish it. */
	activations: number;
	/** Whether it could not be published the last time, and was not published before. */
	isRefused: boolean;
	/** When it was asked for the last time, by `clock.elapsed`. */
	usedAt: number;
	/** What it was called then. */
	name: string;
}

const LOG_INTERVAL_MS = 60_000;
const REPORT_INTERVAL_MS = 60 * 60_000;

/** With two keys each, about 35 MB. */
const MAX_FORWARDED = 50_000;

/** By trigger, which n8n loads anew for each delivery. */
const states = new Map<string, TriggerState>();

/** The signing secrets of all triggers in this process: to read a credential costs more than the rest of a delivery. */
export const secretCache = createSecretCache();

/** The checks of these secrets. The delivery of a sample names only a token, not its trigger. */
export const secretChecks = createSecretChecks();

/** By `clock.elapsed`. n8n loads the package when it starts. */
export const PROCESS_STARTED_AT = clock.elapsed();

/**
 * The state of a trigger, created at its first delivery. Test runs have a separate state, so that they do not claim
 * production events.
 */
export function stateOf(trigger: Omit<TriggerNode, 'parameters'>): TriggerState {
	const key = keyOf(trigger);
	const state = states.get(key) ?? createState(trigger);
	state.usedAt = clock.elapsed();
	state.name = trigger.node.name;
	if (!states.has(key)) releaseStates();
	states.set(key, state);
	return state;
}

function createState({ node, workflow, logger, isTest }: Omit<TriggerNode, 'parameters'>): TriggerState {
	const lines = createTeller(LOG_INTERVAL_MS);
	const log = (line: string) => {
		const leftOut = lines.due(line);
		if (leftOut === undefined) return;
		const more = leftOut === 0 ? '' : ` (${leftOut} times more since this was logged last)`;
		logger.warn(`${state.name} in workflow ${workflow.id}: ${line}${more}`);
	};
	// Whoever tests sees only what this test says.
	const reports = createTeller(isTest ? 0 : REPORT_INTERVAL_MS);
	const state: TriggerState = {
		inFlight: createInFlightEvents(clock),
		forwarded: createInFlightEvents(clock, MAX_FORWARDED),
		combiner: createCombiner(clock),
		processed: createProcessedEvents(clock, () =>
			log('The database could not be checked for duplicates of an event, so the event counts as new'),
		),
		log,
		reports,
		signatureFailures: createFailureCount(() => reports.due('signature')),
		unreadableCredential: createFailureCount(() => reports.due('credential')),
		isClosed: false,
		activations: 0,
		isRefused: false,
		usedAt: 0,
		name: node.name,
	};
	return state;
}

/** Passes on what waits, because n8n unpublishes the trigger or shuts down. */
export function flushGroups({ key }: Pick<TriggerNode, 'key'>): void {
	states.get(keyOf({ key, isTest: false }))?.combiner.flush();
}

function keyOf({ key, isTest }: Pick<TriggerNode, 'key' | 'isTest'>): string {
	return `${key} ${isTest}`;
}

/** Longer than a delivery takes, and than what was told of a trigger must be remembered. */
const UNUSED_MS = 24 * 60 * 60_000;

/**
 * Removes the states of triggers that nobody has used for a day and that hold no event. A webhook processor is not told when a
 * workflow is unpublished, so the first event of a new trigger also removes old states.
 */
export function releaseStates(): void {
	const isUnused = ({ usedAt, inFlight }: TriggerState) =>
		clock.elapsed() - usedAt >= UNUSED_MS && inFlight.isEmpty();
	for (const [key, state] of states) if (isUnused(state)) states.delete(key);
}
