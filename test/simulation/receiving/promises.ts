import type { Attempt, EmittedEvent } from '../service/events';
import { brokenByWebhook, receiversIn } from './expectedWebhook';
import { REPLAYS } from '../service/forgeries';
import type { Judge } from '../chance/histories';
import { brokenByLosses, isFiltered, LATE_RESPONSE_MS, runsOf } from './lossPromises';
import { endless, leaks, overwritten } from '../judges';
import type { ReceivingOutcome } from './receiving';
import type { EventExecution } from '../n8n/triggerDatabase';
import { FOREIGN_URL } from '../service/webhooks';

/** A trigger with a webhook starts no execution itself. */
function brokenByAlerts({ database }: ReceivingOutcome): string[] {
	return database.started.map(({ at }) => `a trigger started an execution itself at ${at}`);
}

/** A redelivery after so long may run again. */
const REMEMBERED_MS = 600_000;

/** A run that began so long before its process died is remembered: about four seconds, and a busy database. */
export const RECORDED_MS = 12_000;

/** A worker waits 4.5 s for another one, which takes longer to record an event when each access takes 400 ms. */
const SLOW_RECORD_MS = 2_500;

/** No event runs twice in a workflow. */
function brokenByEvents(outcome: ReceivingOutcome): string[] {
	const { database, webhooks } = outcome;
	const broken: string[] = [];
	for (const event of webhooks.emitted) {
		const own = runsOf(event, outcome);
		// A replay under another ID may be one of another event about the same message.
		const isOnly = !webhooks.emitted.some((other) => other !== event && other.messageId === event.messageId);
		if (isFiltered(event) && own.some(({ eventId }) => isOnly || eventId === event.id))
			broken.push(`${event.id} was filtered out, and ran`);
		for (const { id } of database.workflows) {
			const runs = own.filter(
				({ workflowId, mode, hasItems }) => workflowId === id && mode === 'webhook' && hasItems,
			);
			for (const [index, run] of runs.entries())
				for (const earlier of runs.slice(0, index))
					if (!isUnsignedCopy(event, earlier, run) && !mayRunTwice(outcome, earlier, run))
						broken.push(`${event.id} ran in executions ${earlier.id} and ${run.id} of ${id}`);
		}
	}
	return broken;
}

/** Only its unsigned ID identifies an event that is no received message (docs/security.md). */
function isUnsignedCopy({ type }: EmittedEvent, one: EventExecution, other: EventExecution): boolean {
	return type !== 'message.received' && one.eventId !== other.eventId;
}

/** Whether the documentation allows two runs of one event. */
export function mayRunTwice(
	{ database, deployment, deaths, log }: Pick<ReceivingOutcome, 'database' | 'deployment' | 'deaths' | 'log'>,
	earlier: EventExecution,
	later: EventExecution,
): boolean {
	if (later.storedAt - (earlier.releasedAt ?? earlier.storedAt) > REMEMBERED_MS) return true;
	if (log.some((line) => line.includes('database could not be checked'))) return true;
	const begun = Math.min(earlier.beganAt ?? Infinity, later.beganAt ?? Infinity);
	if (deaths.some(({ at }) => at > earlier.storedAt - RECORDED_MS && at < begun + RECORDED_MS)) return true;
	// n8n was killed at the very moment in which it recognized a copy.
	const isRecognised = ({ workflowId, messageId, hasItems }: EventExecution) =>
		workflowId === later.workflowId && messageId === later.messageId && !hasItems;
	const hasDied = ({ beganAt = Infinity }: EventExecution) =>
		deaths.some(({ at }) => at > beganAt && at < beganAt + RECORDED_MS);
	if (database.executions.some((copy) => isRecognised(copy) && hasDied(copy))) return true;
	if (deployment.mode === 'regular' || earlier.receivedIn === later.receivedIn) return false;
	// What several webhook processors receive, only the workers compare (docs/scaling.md): not an unsigned ID,
	if (earlier.eventId !== later.eventId) return true;
	// nor what a slow database has not stored in time, nor what two of them wrote at the same moment.
	if (Math.abs((later.beganAt ?? 0) - (earlier.beganAt ?? 0)) < SLOW_RECORD_MS) return true;
	return database.workflows.some(({ id, lostUpdates }) => id === earlier.workflowId && lostUpdates);
}

/** The trigger reads the secret from the credential at most once a minute. */
const CACHED_MS = 61_000;

/** Nobody starts a workflow with what the service did not send. */
function brokenByForgeries({ database, webhooks, savedSecrets }: ReceivingOutcome): string[] {
	const broken: string[] = [];
	/** Whether the credential held the secret of a forgery, at most so long ago. */
	const isKnown = ({ secret, arrivedAt }: Attempt) =>
		savedSecrets.some(
			(saved, index) =>
				saved.secret === secret && (savedSecrets[index + 1]?.at ?? Infinity) >= arrivedAt - CACHED_MS,
		);
	for (const { id, messageId, kind, attempts } of webhooks.forged) {
		if (REPLAYS.includes(kind)) continue;
		if (kind === 'signed with an old secret' && attempts.some(isKnown)) continue;
		const wasTaken = attempts.some(
			({ url, response }) => !url.startsWith(FOREIGN_URL) && response?.status === 200,
		);
		const ran =
			kind !== 'stale' && database.executions.some((execution) => execution.messageId === messageId);
		if (wasTaken || ran) broken.push(`${id}, ${kind}, was taken`);
	}
	return broken;
}

/** Longer than a delivery waits for another, for the database and for its response. */
const LONGEST_RESPONSE_MS = 120_000;

/** Whether n8n claimed to be busy with an event of which no other copy waited for its response. */
function wasRefused(attempt: Attempt, copies: readonly Attempt[]): boolean {
	const { response, arrivedAt, answeredAt = Infinity } = attempt;
	if ((response?.body as { error?: string } | undefined)?.error !== 'not_accepted') return false;
	return !copies.some(
		(other) =>
			other !== attempt &&
			other.arrivedAt <= answeredAt &&
			(other.answeredAt ?? Infinity) >= arrivedAt - LATE_RESPONSE_MS,
	);
}

function brokenByWaits({ database, webhooks, deaths, log }: ReceivingOutcome): string[] {
	const broken = endless(database.executions);
	for (const { hook, url, startedAt, endedAt } of database.hookCalls)
		if (endedAt === undefined && !deaths.some(({ at }) => at >= startedAt))
			broken.push(`${hook} of ${url} never ends`);
	// If n8n cannot store it, the service gets a 5xx for each of its events.
	const combines = database.workflows.some(({ draft, settled }) =>
		[draft, ...settled.map(({ version }) => version)].some(({ combineEvents }) => combineEvents),
	);
	const isReadable = !combines && !log.some((line) => line.includes('credential could not be read'));
	for (const event of webhooks.emitted) {
		const { id, messageId, attempts } = event;
		const copies = [...webhooks.emitted, ...webhooks.forged]
			.filter((event) => event.messageId === messageId)
			.flatMap((event) => event.attempts);
		if (isReadable && attempts.some((attempt) => wasRefused(attempt, copies)))
			broken.push(`${id} was refused, although no other copy of it was under way`);
	}
	for (const { id, messageId, attempts } of [...webhooks.emitted, ...webhooks.forged, ...webhooks.samples])
		for (const { arrivedAt, answeredAt = Infinity } of attempts) {
			const until = Math.min(answeredAt, arrivedAt + LONGEST_RESPONSE_MS);
			const isSlow = answeredAt - arrivedAt > LONGEST_RESPONSE_MS;
			// A busy n8n responds when the execution has its slot.
			const isHeld = database.executions.some(
				({ messageId: held, releasedAt }) => held === messageId && releasedAt !== undefined,
			);
			if (isSlow && !isHeld && !deaths.some(({ at }) => at >= arrivedAt && at <= until))
				broken.push(`${id} got no response in time`);
		}
	return broken;
}

/** A secret that is saved is known after a second, to all processes. */
const KNOWN_MS = 1_100;

function brokenBySecrets({ database, webhooks, savedSecrets, log }: ReceivingOutcome): string[] {
	const broken: string[] = [];
	const bodies: unknown[] = [];
	for (const { id, attempts } of webhooks.emitted)
		for (const { sentAt, arrivedAt, answeredAt = Infinity, secret, response } of attempts) {
			bodies.push(response?.body);
			const known = savedSecrets.filter(({ at }, index) => {
				const until = savedSecrets[index + 1]?.at ?? Infinity;
				return at <= answeredAt && until >= arrivedAt - KNOWN_MS;
			});
			const isStale = arrivedAt - sentAt > 100_000;
			if (response?.status === 401 && !isStale && known.every((saved) => saved.secret === secret))
				broken.push(`${id} was rejected, although the credential holds its secret`);
		}
	const urls = [...webhooks.emitted, ...webhooks.samples].flatMap(({ attempts }) =>
		attempts.map(({ url }) => url),
	);
	const lists = urls.flatMap(receiversIn);
	const readable = [...log, ...urls, ...lists, database.executions, database.workflows, bodies];
	return [...broken, ...leaks(readable, ...webhooks.secrets)];
}

/** "If the service is unreachable at that moment, nothing changes": a start does not fail for what passes. */
const brokenByStarts: Judge<ReceivingOutcome> = ({ database }) =>
	database.hookCalls
		.filter(({ lastStatus = 200 }) => lastStatus === 0 || lastStatus === 429 || lastStatus >= 500)
		.filter(({ hook, isStart, succeeded }) => hook === 'create' && isStart && succeeded === false)
		.map(({ url }) => `the start of ${url} failed, because the service was out of reach`);

/** Events are forgotten, and the row holds four keys for each of 2,000 events. */
function brokenByMemory({ database, remembered }: ReceivingOutcome): string[] {
	const full = database.workflows.filter(({ row = [] }) => row.length > MOST_KEYS);
	return [
		...remembered(),
		...full.map(({ id, row }) => `the row of ${id} holds ${row?.length} keys`),
		...overwritten(database.workflows),
	];
}

const MOST_KEYS = 8_000;

const surprises: Judge<ReceivingOutcome> = ({ database, foreign }) => [
	...database.surprises,
	...foreign.surprises,
];

export const RECEIVING_JUDGES = [
	surprises,
	brokenByAlerts,
	brokenByEvents,
	brokenByLosses,
	brokenByForgeries,
	brokenByWaits,
	brokenByWebhook,
	brokenBySecrets,
	brokenByStarts,
	brokenByMemory,
];
