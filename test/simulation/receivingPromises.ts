import type { Death } from './deployment';
import {
	endOf,
	isLate,
	mayStayMissing,
	brokenByWebhook,
	receiversIn,
	type Receiver,
} from './expectedWebhook';
import type { ForeignDelivery, ForeignReceiver } from './foreignReceiver';
import { API_KEY } from './network';
import type { ReceivingOutcome } from './receiving';
import {
	productionUrl,
	type EventExecution,
	type HookCall,
	type TriggerVersion,
	type TriggerWorkflow,
} from './triggerDatabase';
import { FIRST_ACCOUNT, FOREIGN_URL, NOBODY, REPLAYS, type Attempt, type EmittedEvent } from './webhooks';

/** What is wrong with the way in which a history ended; nothing when every promise was kept. */
export function brokenPromises(outcome: ReceivingOutcome): string[] {
	const { database } = outcome;
	return [
		...database.surprises,
		...brokenByAlerts(outcome),
		...outcome.foreign.surprises,
		...brokenByEvents(outcome),
		...brokenByLosses(outcome),
		...brokenByForgeries(outcome),
		...brokenByWaits(outcome),
		...brokenByWebhook(outcome),
		...brokenBySecrets(outcome),
		...brokenByActivation(outcome),
		...brokenByMemory(outcome),
	];
}

/** The alert of another account comes at most once in this time, in milliseconds, in each process. */
const ALERT_PAUSE_MS = 60 * 60 * 1000;

/** A trigger starts an execution itself only to tell that its key belongs to another account now than its webhook. */
function brokenByAlerts({ database, webhooks }: ReceivingOutcome): string[] {
	return database.started
		.filter(({ items: [item, ...others], process, workflowId, at }, index) => {
			const former = item?.json.former_account;
			const isTrue = typeof former === 'string' && former !== webhooks.accountId && others.length === 0;
			const isRepeated = database.started
				.slice(0, index)
				.some(
					(earlier) =>
						earlier.process === process &&
						earlier.workflowId === workflowId &&
						at - earlier.at < ALERT_PAUSE_MS,
				);
			return !isTrue || isRepeated;
		})
		.map(({ at }) => `a trigger started an execution itself at ${at}`);
}

/** A redelivery after so long may run again (docs/trigger.md, "Deduplication"). */
const REMEMBERED_MS = 600_000;

/** A run that began so long before its process died is remembered: about four seconds, and a busy database. */
const RECORDED_MS = 12_000;

/** A worker waits three seconds for another one, which takes longer to record an event when each access takes 400 ms. */
const SLOW_RECORD_MS = 2_500;

/** No event runs twice in a workflow. */
function brokenByEvents(outcome: ReceivingOutcome): string[] {
	const { database, webhooks } = outcome;
	const broken: string[] = [];
	for (const event of webhooks.emitted) {
		const own = runsOf(event, outcome);
		// A replay under another ID may be one of another event about the same message.
		const isOnly = !webhooks.emitted.some((other) => other !== event && other.messageId === event.messageId);
		const mustNotRun = ({ eventId, knowsAccount }: EventExecution) =>
			(isOnly || eventId === event.id) &&
			// A trigger that n8n has only started, and never published, knows no account.
			(knowsAccount || !isOfNobody(event));
		if (isFiltered(event) && own.some(mustNotRun)) broken.push(`${event.id} was filtered out, and ran`);
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

/** Triggers ignore what the account itself writes, and what another account receives. */
function isFiltered(event: EmittedEvent): boolean {
	const { isFromMe, type } = event;
	return (isFromMe && type === 'message.received') || isOfNobody(event);
}

function isOfNobody({ accountId }: EmittedEvent): boolean {
	return accountId === NOBODY;
}

/** "A repair runs … every five minutes" (docs/trigger.md, "Registration"), and one may meet a fault. */
const REPAIR_MS = 900_000;

/** An acknowledged event is in an execution of every workflow that had to receive it, and with the other system. */
function brokenByLosses(outcome: ReceivingOutcome): string[] {
	const { database, webhooks, foreign, deaths } = outcome;
	const broken: string[] = [];
	for (const event of webhooks.emitted) {
		const acknowledged = event.attempts.filter(
			({ response, url }) =>
				response?.status === 200 && !response.isStartPage && url.split('?')[0] !== FOREIGN_URL,
		);
		const runs = runsOf(event, outcome);
		for (const { sentAt, answeredAt = Infinity, url } of acknowledged) {
			const receivers = receiversIn(url);
			for (const workflow of database.workflows) {
				const { id, settled } = workflow;
				const isDue = settled.some(
					({ version, from, until }) =>
						from <= sentAt && until >= answeredAt && version.events.includes(event.type),
				);
				// "Belongs neither to the account at publication nor to that of the API key" (docs/trigger.md).
				if (!isDue || isFiltered(event) || event.accountId !== webhooks.accountId) continue;
				const isNamed = receivers.some((receiver) => receiver.url === productionUrl(workflow));
				if (!isNamed && mayBeMissing(outcome, workflow, receivers, sentAt, answeredAt)) continue;
				const own = runs.filter(({ workflowId, mode }) => workflowId === id && mode === 'webhook');
				if (!own.some((run) => isKept(run, answeredAt, deaths) || (receivers.length > 1 && isOnRecord(run))))
					broken.push(
						`${event.id} was acknowledged, and ${id} ${isNamed ? 'has lost it' : 'is not on the list'}`,
					);
			}
			const other = receivers.find(({ kind }) => kind === 'external');
			if (other?.events.includes(event.type) && !foreign.received.some((one) => isFinal(one, event, foreign)))
				broken.push(`${event.id} was acknowledged, and the other system has lost it`);
		}
	}
	return broken;
}

/** Whether a published workflow may be missing on the list that the service had when it sent an event. */
function mayBeMissing(
	{ database, webhooks, deaths }: ReceivingOutcome,
	workflow: TriggerWorkflow,
	receivers: readonly Receiver[],
	sentAt: number,
	answeredAt: number,
): boolean {
	const isRecent = (at: number) => at <= answeredAt && at > sentAt - REPAIR_MS;
	const others = database.hookCalls.filter((call) => call.workflow.n8nUrl !== workflow.n8nUrl);
	return (
		// "If the other system registers itself again, it receives the events alone until the next repair" (docs/trigger.md).
		webhooks.foreignChanges.some(({ at }) => isRecent(at)) ||
		// "A change that the service makes late … undoes what was set since. The repair sets what is missing".
		webhooks.changes.some((change) => isLate(change, deaths) && isRecent(change.at)) ||
		// "If n8n is killed while it publishes, it may show the workflow as published although the webhook is not set".
		database.hookCalls.some((call) => {
			const end = endOf(call, deaths);
			return end.isDeath && isRecent(end.at);
		}) ||
		// "A repair runs one minute after n8n has started … and joins a workflow again that was left out".
		database.hookCalls.some(
			(call) => call.workflow === workflow && call.isStart && isRecent(call.startedAt),
		) ||
		// "Another n8n counts as another system", and the one that has the webhook need not share it.
		others.some(
			({ startedAt, endedAt = Infinity }) =>
				startedAt <= answeredAt && isRecent(Math.min(endedAt, answeredAt)),
		) ||
		mayStayMissing(workflow, versionAt(workflow, sentAt), receivers)
	);
}

function versionAt({ settled, draft }: TriggerWorkflow, at: number): TriggerVersion {
	return settled.find(({ from, until }) => from <= at && until >= at)?.version ?? draft;
}

/** Whether the other system has an event, or need not get it again. */
function isFinal(
	{ eventId, status, at }: ForeignDelivery,
	event: EmittedEvent,
	{ received }: ForeignReceiver,
): boolean {
	if (eventId !== event.id) return false;
	// "A 4xx other than 404, 408, 425 and 429 is final" (docs/trigger.md).
	if (status === 200 || status === 401) return true;
	// "A 404 counts like a 5xx for five minutes … After that, the events of the others no longer wait for it".
	const since = received.findLast((one) => one.at <= at && one.status !== 404)?.at ?? -Infinity;
	const [first] = received.filter((one) => one.at > since && one.at <= at);
	return status === 404 && first !== undefined && at - first.at >= ABSENCE_MS;
}

/** How long a 404 of a subscriber counts as a failure, less what a response takes. */
const ABSENCE_MS = 300_000 - 15_000;

/** The executions of an event. Two events may be about one message. */
function runsOf(event: EmittedEvent, { database, webhooks }: ReceivingOutcome): EventExecution[] {
	const isOther = (id?: string) => id !== event.id && webhooks.emitted.some((other) => other.id === id);
	return database.executions.filter(
		({ messageId, eventId }) => messageId === event.messageId && !isOther(eventId),
	);
}

/**
 * Whether an execution holds its event, which was acknowledged at a moment. An interrupted one does when its process was
 * alive at that moment, or when another process ran it: it is in the list, as crashed (docs/trigger.md, "After a restart",
 * and docs/scaling.md, "When a process is lost").
 */
function isKept(execution: EventExecution, answeredAt: number, deaths: readonly Death[]): boolean {
	const { status, hasItems, storedAt, acknowledgedAt, receivedIn, ranIn } = execution;
	if (status !== 'crashed') return status === 'new' || hasItems === true;
	const death = deaths.find(({ name }) => name === receivedIn);
	const wasAlive = storedAt <= answeredAt && (death?.at ?? Infinity) >= answeredAt - LATE_RESPONSE_MS;
	return acknowledgedAt !== undefined || wasAlive || ranIn !== receivedIn;
}

/** Only its unsigned ID identifies an event that is no received message (docs/security.md). */
function isUnsignedCopy({ type }: EmittedEvent, one: EventExecution, other: EventExecution): boolean {
	return type !== 'message.received' && one.eventId !== other.eventId;
}

/** Whether n8n was killed while the response waited for other receivers, and the run had begun (docs/trigger.md). */
function isOnRecord({ status, hasItems }: EventExecution): boolean {
	return status === 'crashed' && hasItems === true;
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
	// "If n8n is killed at the very moment in which it recognizes a copy" (docs/trigger.md, "After a restart").
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

/** "The trigger reads the secret from the credential at most once a minute" (docs/trigger.md, "Signature and secret"). */
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
			({ url, response }) =>
				!url.startsWith(FOREIGN_URL) && response?.status === 200 && !response.isStartPage,
		);
		const ran =
			kind !== 'stale' && database.executions.some((execution) => execution.messageId === messageId);
		if (wasTaken || ran) broken.push(`${id}, ${kind}, was taken`);
	}
	return broken;
}

/** Longer than a delivery waits for another, for the database and for its response. */
const LONGEST_RESPONSE_MS = 120_000;

/** A response is on its way for so long at the most. */
const LATE_RESPONSE_MS = 500;

/** Whether n8n claimed to be busy with an event of which no other copy waited for its response (docs/trigger.md). */
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
	const broken: string[] = [];
	for (const { id, status } of database.executions)
		if (status === 'running') broken.push(`execution ${id} never ends`);
	for (const { hook, url, startedAt, endedAt } of database.hookCalls)
		if (endedAt === undefined && !deaths.some(({ at }) => at >= startedAt))
			broken.push(`${hook} of ${url} never ends`);
	// "Belongs to another account than before …: 503 once" (docs/trigger.md).
	const hasSwitched = webhooks.accountId !== FIRST_ACCOUNT;
	// "If n8n cannot store it, the service gets a 5xx for each of its events" (docs/trigger.md, "Many events at once").
	const combines = database.workflows.some(({ draft, settled }) =>
		[draft, ...settled.map(({ version }) => version)].some(({ combineEvents }) => combineEvents),
	);
	const isReadable =
		!hasSwitched && !combines && !log.some((line) => line.includes('credential could not be read'));
	for (const event of webhooks.emitted) {
		const { id, messageId, attempts } = event;
		if (isOfNobody(event)) continue;
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
			// "A busy n8n … responds only then" (docs/trigger.md, "Deduplication").
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
	const out = [
		...log,
		...urls,
		...urls.flatMap((url) => receiversIn(url).map((receiver) => JSON.stringify(receiver))),
		...[database.executions, database.workflows, bodies].map((part) => JSON.stringify(part)),
	];
	for (const text of out)
		for (const secret of [...webhooks.secrets, API_KEY])
			if (text.includes(secret)) broken.push(`${secret} is in: ${text.slice(0, 200)}`);
	return broken;
}

/** Publishing says so when it cannot work, and a start does not fail for what passes. */
function brokenByActivation({ database, webhooks, savedSecrets }: ReceivingOutcome): string[] {
	const broken: string[] = [];
	const isValid = (secret: string, from: number, until: number) =>
		webhooks.secrets.some(
			(valid, index) =>
				valid === secret &&
				(webhooks.validSince[index] ?? 0) <= until &&
				(webhooks.validSince[index + 1] ?? Infinity) >= from,
		);
	for (const call of database.hookCalls) {
		const { hook, url, isStart, succeeded, lastStatus, startedAt, endedAt = Infinity } = call;
		if (hook !== 'create') continue;
		// "If the service is unreachable at that moment, nothing changes" (docs/trigger.md, "Registration").
		const isTransient = lastStatus === 0 || lastStatus === 429 || (lastStatus ?? 0) >= 500;
		if (isStart && succeeded === false && isTransient)
			broken.push(`the start of ${url} failed, because the service was out of reach`);
		// "A wrong signature there cannot come from a forger, so activation fails". "No check is needed if this n8n process
		// verified a delivery with the same secret in the last five minutes", or if it joins another workflow.
		const isFirst = !database.hookCalls.some(
			(other) =>
				other !== call && (isBeside(other, call) || (other.url !== url && other.startedAt < endedAt)),
		);
		const wasRight = savedSecrets.some(
			(saved, index) =>
				saved.at <= endedAt &&
				(savedSecrets[index + 1]?.at ?? Infinity) >= startedAt &&
				isValid(saved.secret, startedAt - VERIFIED_MS, endedAt),
		);
		const isTest = !url.includes('/webhook/');
		if (isFirst && succeeded && !isStart && !isTest && !wasRight && !call.wasUnchecked)
			broken.push(`${url} was published with a wrong secret`);
	}
	return broken;
}

const VERIFIED_MS = 300_000;

/** Whether two changes of the webhook were under way at the same time. */
function isBeside(one: HookCall, other: HookCall): boolean {
	return one.startedAt <= (other.endedAt ?? Infinity) && (one.endedAt ?? Infinity) >= other.startedAt;
}

/** Events are forgotten, and the row holds four keys for each of 2,000 events (docs/trigger.md, "Deduplication"). */
function brokenByMemory({ database, remembered }: ReceivingOutcome): string[] {
	const broken = remembered();
	for (const { id, row = [], lostByItself = 0 } of database.workflows) {
		if (row.length > MOST_KEYS) broken.push(`the row of ${id} holds ${row.length} keys`);
		// "The trigger makes one call at a time …, so no entry is lost within one process".
		if (lostByItself > 0) broken.push(`the row of ${id} lost keys that its own process had written`);
	}
	return broken;
}

const MOST_KEYS = 8_000;
