import { clock, unixTimeOf } from '../account/clock';
import { createCombiner, type Combiner } from '../combining/combiner';
import { createInFlightEvents, type InFlightEvents } from '../deduplication/inFlightEvents';
import { createProcessedEvents, type ProcessedEvents } from '../deduplication/processedEvents';
import { createSecretCache, createSecretChecks } from './secrets';
import type { TriggerNode } from './trigger';

/** The state of one trigger in this process. */
export interface TriggerState {
	inFlight: InFlightEvents;
	/** Those that are being forwarded to a receiver, or that it has. */
	forwarded: InFlightEvents;
	combiner: Combiner;
	processed: ProcessedEvents;
	/** Logs a line, not too often. */
	log: ThrottledLog;
	/** The deliveries that look like the service's own but have a wrong signature. */
	signatureFailures: FailureCount;
	/** How often n8n could not read the credential. */
	unreadableCredential: FailureCount;
	/** That events of an account before are told. */
	formerAccount: FailureCount;
	/** What is not understood of what the service sends. */
	unreadable: FailureCount;
	/** Whether n8n is ending or has ended it in this process. */
	isClosed: boolean;
	/** When it was asked for the last time, by `clock.elapsed`. */
	usedAt: number;
}

/** With two keys each, about 35 MB. */
const MAX_FORWARDED = 50_000;

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
export function stateOf(trigger: Omit<TriggerNode, 'parameters'>): TriggerState {
	const key = keyOf(trigger);
	const state = states.get(key) ?? createState(trigger);
	state.usedAt = clock.elapsed();
	if (!states.has(key)) releaseStates();
	states.set(key, state);
	return state;
}

function createState({ node, workflow, logger }: Omit<TriggerNode, 'parameters'>): TriggerState {
	const log = createThrottledLog((line) => logger.warn(`${node.name} in workflow ${workflow.id}: ${line}`));
	return {
		inFlight: createInFlightEvents(),
		forwarded: createInFlightEvents(MAX_FORWARDED),
		combiner: createCombiner(clock),
		processed: createProcessedEvents(
			{ now: () => clock.elapsed(), sleep: async (ms) => await clock.sleep(ms) },
			() => log('The database could not be checked for duplicates of an event, so the event counts as new'),
		),
		log,
		signatureFailures: createFailureCount(),
		unreadableCredential: createFailureCount(),
		formerAccount: createFailureCount(),
		unreadable: createFailureCount(),
		isClosed: false,
		usedAt: 0,
	};
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
		clock.elapsed() - usedAt >= UNUSED_MS && inFlight.isEmpty(Date.now());
	for (const [key, state] of states) if (isUnused(state)) states.delete(key);
}

/** This many failures in a row are no accident. */
const FAILURE_THRESHOLD = 5;

/** The same failures are reported at most once in this time. */
const REPORT_INTERVAL_MS = 60 * 60 * 1000;

/** Failures of one kind, which are reported to the user when they do not stop. */
export interface FailureCount {
	/**
	 * Counts a failure.
	 *
	 * @param isLasting whether it is no accident, however few are counted
	 * @returns the Unix time of the first failure in this row, in milliseconds, if the user should be told now
	 */
	add(isLasting?: boolean): number | undefined;
	/** Ends the row of failures, because one has succeeded in between. */
	reset(): void;
}

/** Creates a count without failures. */
export function createFailureCount(): FailureCount {
	let count = 0;
	let firstFailureAt = 0;
	let reportedAt = -Infinity;
	return {
		add: (isLasting = false) => {
			const now = clock.elapsed();
			if (count === 0) firstFailureAt = now;
			count++;
			if (!isLasting && count < FAILURE_THRESHOLD) return undefined;
			if (now - reportedAt < REPORT_INTERVAL_MS) return undefined;
			reportedAt = now;
			return unixTimeOf(firstFailureAt);
		},
		reset: () => (count = 0),
	};
}

/** The number of lines per reason and time window. Further lines are only counted. */
const MAX_LINES = 5;

/** The length of a time window, after which the count is written. */
const WINDOW_MS = 60_000;

/** Writes the first few lines of each reason, and a count instead of the rest. */
export type ThrottledLog = (reason: string) => void;

/**
 * Creates a log in which nothing was written.
 *
 * @param write writes a line to n8n's log
 */
export function createThrottledLog(write: (line: string) => void): ThrottledLog {
	const windows = new Map<string, { startedAt: number; lines: number; suppressed: number }>();

	const writeCountLater = async (reason: string, window: { suppressed: number }) => {
		await clock.sleep(WINDOW_MS);
		write(`${reason} (${window.suppressed} more times in the last ${WINDOW_MS / 1000} seconds)`);
		windows.delete(reason);
	};

	return (reason) => {
		const now = clock.elapsed();
		for (const [key, { startedAt, suppressed }] of windows)
			if (suppressed === 0 && now - startedAt > WINDOW_MS) windows.delete(key);
		const window = windows.get(reason) ?? { startedAt: now, lines: 0, suppressed: 0 };
		windows.set(reason, window);
		if (window.lines < MAX_LINES) {
			window.lines++;
			write(reason);
			return;
		}
		if (window.suppressed === 0) void writeCountLater(reason, window);
		window.suppressed++;
	};
}
