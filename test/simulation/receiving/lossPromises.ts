import type { Death } from './deployment';
import type { EmittedEvent } from '../service/events';
import { endOf, isLate, mayStayMissing, receiversIn, type Receiver } from './expectedWebhook';
import type { ForeignDelivery, ForeignReceiver } from './foreignReceiver';
import type { ReceivingOutcome } from './receiving';
import {
	productionUrl,
	type EventExecution,
	type TriggerVersion,
	type TriggerWorkflow,
} from '../n8n/triggerDatabase';
import { FOREIGN_URL } from '../service/webhooks';

/** Triggers ignore what the account itself writes. */
export const isFiltered = ({ isFromMe, type }: EmittedEvent) => isFromMe && type === 'message.received';

/** A repair runs every five minutes, and one may meet a fault. */
const REPAIR_MS = 900_000;

/** An acknowledged event is in an execution of every workflow that had to receive it, and with the other system. */
export function brokenByLosses(outcome: ReceivingOutcome): string[] {
	const { database, webhooks, foreign, deaths } = outcome;
	const broken: string[] = [];
	for (const event of webhooks.emitted) {
		const acknowledged = event.attempts.filter(
			({ response, url }) => response?.status === 200 && url.split('?')[0] !== FOREIGN_URL,
		);
		const runs = runsOf(event, outcome);
		// The receivers can have changed between two deliveries.
		const wasShared = event.attempts.some(({ url }) => receiversIn(url).length > 1);
		for (const { sentAt, answeredAt = Infinity, url } of acknowledged) {
			const receivers = receiversIn(url);
			for (const workflow of database.workflows) {
				const { id, settled } = workflow;
				const isDue = settled.some(
					({ version, from, until }) =>
						from <= sentAt && until >= answeredAt && version.events.includes(event.type),
				);
				if (!isDue || isFiltered(event)) continue;
				const isNamed = receivers.some((receiver) => receiver.url === productionUrl(workflow));
				if (!isNamed && mayBeMissing(outcome, workflow, receivers, sentAt, answeredAt)) continue;
				const own = runs.filter(({ workflowId, mode }) => workflowId === id && mode === 'webhook');
				if (!own.some((run) => isKept(run, answeredAt, deaths) || (wasShared && isOnRecord(run))))
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
		// If the other system registers itself again, it receives the events alone until the next repair.
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
	// A 4xx other than 404, 408, 425 and 429 is final.
	if (status === 200 || status === 401) return true;
	// "A 404 counts like a 5xx for five minutes … After that, the events of the others no longer wait for it".
	const since = received.findLast((one) => one.at <= at && one.status !== 404)?.at ?? -Infinity;
	const [first] = received.filter((one) => one.at > since && one.at <= at);
	return status === 404 && first !== undefined && at - first.at >= ABSENCE_MS;
}

/** How long a 404 of a subscriber counts as a failure, less what a response takes. */
const ABSENCE_MS = 300_000 - 15_000;

/** The executions of an event. Two events may be about one message. */
export function runsOf(event: EmittedEvent, { database, webhooks }: ReceivingOutcome): EventExecution[] {
	const isOther = (id?: string) => id !== event.id && webhooks.emitted.some((other) => other.id === id);
	return database.executions.filter(
		({ messageId, eventId }) => messageId === event.messageId && !isOther(eventId),
	);
}

/** A response is on its way for so long at the most. */
export const LATE_RESPONSE_MS = 500;

/**
 * Whether an execution holds its event, which was acknowledged at a moment. An interrupted one does when its process was
 * alive at that moment, or when another process ran it: it is in the list, as crashed (docs/reliability.md,
 * "No event lost").
 */
function isKept(execution: EventExecution, answeredAt: number, deaths: readonly Death[]): boolean {
	const { status, hasItems, storedAt, acknowledgedAt, receivedIn, ranIn } = execution;
	if (status !== 'crashed') return status === 'new' || hasItems === true;
	const death = deaths.find(({ name }) => name === receivedIn);
	const wasAlive = storedAt <= answeredAt && (death?.at ?? Infinity) >= answeredAt - LATE_RESPONSE_MS;
	return acknowledgedAt !== undefined || wasAlive || ranIn !== receivedIn;
}

/** Whether n8n was killed while the response waited for other receivers, and the run had begun. */
function isOnRecord({ status, hasItems }: EventExecution): boolean {
	return status === 'crashed' && hasItems === true;
}
