import type { Judge } from '../chance/histories';
import type { MissedOutcome, ReceivedMessage } from './missed';
import { endless } from '../judges';
import { mayRunTwice } from '../receiving/promises';
import type { EventExecution, SettledPeriod, TriggerWorkflow } from '../n8n/triggerDatabase';

/** The executions of a message in a workflow, without those that the trigger ended. */
function runsOf(
	{ messageId }: Pick<ReceivedMessage, 'messageId'>,
	{ id }: Pick<TriggerWorkflow, 'id'>,
	{ database }: MissedOutcome,
): EventExecution[] {
	return database.executions.filter(
		(execution) => execution.workflowId === id && execution.messageId === messageId && execution.hasItems,
	);
}

/** A trigger that is off for longer begins anew. */
const MAX_GAP_MS = 240_000;

/** Times are whole seconds, and those of the service are known to as much as its response takes. */
const CLOCK_MS = 16_000;

/** Since when a workflow has listened without a break; Infinity if it does not. */
function listeningSince(
	{ id, active, settled }: TriggerWorkflow,
	{ userChanges }: Pick<MissedOutcome, 'userChanges'>,
): number {
	const last = settled.at(-1);
	if (!active || last?.until !== Infinity) return Infinity;
	const changes = userChanges.filter(({ workflowId }) => workflowId === id).map(({ at }) => at);
	const lastChange = Math.max(0, ...changes);
	const continues = (earlier: SettledPeriod, later: SettledPeriod) =>
		later.from - earlier.until < MAX_GAP_MS &&
		later.from < lastChange &&
		// Who unpublishes and publishes a workflow begins anew, whatever they change later.
		!changes.some((at) => at > earlier.from && at <= later.from) &&
		JSON.stringify(earlier.version) === JSON.stringify(later.version);
	let [first] = settled.slice(-1) as [SettledPeriod];
	for (const period of settled.slice(0, -1).reverse()) {
		if (!continues(period, first)) break;
		first = period;
	}
	return first.from;
}

/** A received message that did not run to its end starts an execution. */
function neverRan(outcome: MissedOutcome): string[] {
	const { database, messages } = outcome;
	return database.workflows.flatMap((workflow) => {
		const since = listeningSince(workflow, outcome);
		const { catchUpMinutes = 0 } = workflow.settled.at(-1)?.version ?? {};
		// "As far as Catch Up (Minutes) says", when n8n starts the trigger.
		const starts = database.hookCalls.filter(
			(call) => call.workflow.id === workflow.id && call.hook === 'create',
		);
		const isInReach = ({ receivedAt }: ReceivedMessage) =>
			receivedAt > since + CLOCK_MS &&
			starts.every(
				({ startedAt, endedAt = startedAt }) =>
					endedAt <= receivedAt || endedAt - receivedAt < catchUpMinutes * 60_000 - REACH_MS,
			);
		return messages
			.filter((message) => !message.isFromMe && isInReach(message))
			.filter((message) => {
				const runs = runsOf(message, workflow, outcome);
				if (runs.some(({ status }) => status === 'success')) return false;
				// "A caught-up message during which n8n was ended three times does not run again".
				return runs.filter(({ status }) => status === 'crashed').length < 3;
			})
			.map(({ id }) => `${id} never ran to its end in ${workflow.id}`);
	});
}

/** The first look takes place 30 seconds after the start, and n8n may start the trigger later than its webhook. */
const REACH_MS = 120_000;

/** An end that is so long ago is recorded: about a second, and a busy database. */
const RECORDED_MS = 12_000;

/** No message runs twice, unless a process died or two met while it ran. */
function ranTwice(outcome: MissedOutcome): string[] {
	const { database, messages, deaths, meetings } = outcome;
	const mayRunAgain = (earlier: EventExecution, later: EventExecution): boolean => {
		const { beganAt = 0, endedAt = Infinity } = earlier;
		const until = endedAt + RECORDED_MS;
		return (
			deaths.some(({ at }) => at >= beganAt && at <= until) ||
			meetings.some((meeting) => meeting.from <= until && meeting.until >= beganAt) ||
			database.executions.some((execution) => isCutOffLookUp(execution, later.messageId)) ||
			mayRunTwice(outcome, earlier, later)
		);
	};
	return database.workflows.flatMap((workflow) =>
		messages.flatMap((message) => {
			const runs = runsOf(message, workflow, outcome).sort((a, b) => (a.beganAt ?? 0) - (b.beganAt ?? 0));
			return runs.slice(1).flatMap((run, index) => {
				const earlier = runs[index] as EventExecution;
				return mayRunAgain(earlier, run)
					? []
					: [`${message.id} ran in executions ${earlier.id} and ${run.id} of ${workflow.id}`];
			});
		}),
	);
}

/** Whether n8n was killed while it looked up messages, which then count as not run. */
function isCutOffLookUp({ mode, status, hasItems, items }: EventExecution, messageId = ''): boolean {
	const { look_up_messages: lookedUp, message } = items[0]?.json ?? {};
	const ids = Array.isArray(lookedUp) ? lookedUp : [(message as { id?: string } | undefined)?.id];
	return mode === 'trigger' && status === 'crashed' && hasItems === undefined && ids.includes(messageId);
}

/** Nothing of the account itself runs, and nothing that came in before the workflow was published. */
function neverWanted(outcome: MissedOutcome): string[] {
	const { database, messages, userChanges } = outcome;
	return database.workflows.flatMap((workflow) => {
		const publishedAt = Math.min(
			Infinity,
			...userChanges.filter(({ workflowId }) => workflowId === workflow.id).map(({ at }) => at),
		);
		return messages
			.map((message) => ({ ...message, runs: runsOf(message, workflow, outcome) }))
			.flatMap(({ id, isFromMe, receivedAt, runs }) => [
				...(isFromMe && runs.length > 0 ? [`${id} of the account itself ran in ${workflow.id}`] : []),
				...(receivedAt < publishedAt - CLOCK_MS && runs.some(({ mode }) => mode === 'trigger')
					? [`${id} of before ran in ${workflow.id}`]
					: []),
			]);
	});
}

/** A message that was listed for so long was found together with those that were. */
const FOUND_MS = 300_000;

/** "The messages of a chat start oldest first". If it polls, those of before its start come "later, newer ones at once". */
function inWrongOrder({ database, messages }: MissedOutcome): string[] {
	const isStartBetween = (id: string, process: string, later: number, earlier: number) =>
		database.triggerStarts.some(
			(start) =>
				start.version.pollSeconds !== undefined &&
				start.workflow.id === id &&
				start.process === process &&
				start.at >= later - CLOCK_MS &&
				start.at <= earlier + CLOCK_MS,
		);
	const messageOf = (items: (typeof database.started)[number]['items']) =>
		messages.find(
			({ messageId }) => messageId === (items[0]?.json.message as { id?: string } | undefined)?.id,
		);
	return database.workflows.flatMap(({ id }) => {
		const firsts = new Map<string, ReceivedMessage & { startedAt: number; process: string }>();
		for (const { workflowId, items, at, process } of database.started) {
			const message = workflowId === id ? messageOf(items) : undefined;
			if (message && !firsts.has(message.messageId))
				firsts.set(message.messageId, { ...message, startedAt: at, process });
		}
		const started = [...firsts.values()];
		return started.flatMap((later, index) =>
			started
				.slice(0, index)
				.filter(
					(earlier) =>
						earlier.chatId === later.chatId &&
						earlier.process === later.process &&
						Number(earlier.timestamp) > Number(later.timestamp) &&
						later.listedAt < earlier.startedAt - FOUND_MS &&
						!isStartBetween(id, later.process, later.receivedAt, earlier.receivedAt),
				)
				.map((earlier) => `${earlier.id} started before ${later.id}`),
		);
	});
}

const MINUTE_MS = 60_000;

/** The look-ups of the last minutes, when nothing has happened for long. */
function tooManyRequests({ requests, quietAt, database, messages }: MissedOutcome): string[] {
	const isPolling = database.workflows.some(({ published }) => published?.pollSeconds !== undefined);
	const quiet = requests.filter(({ at }) => at > quietAt - 10 * MINUTE_MS && at <= quietAt);
	if (isPolling || messages.some(({ listedAt }) => listedAt > quietAt - 20 * MINUTE_MS)) return [];
	return quiet.length > 20 ? [`${quiet.length} requests in ten minutes in which nothing happened`] : [];
}

function neverEnding({ database, requests, unpublishedAt }: MissedOutcome): string[] {
	const late = requests.filter(({ at }) => at > unpublishedAt);
	return [
		...(late.length > 0 ? [`${late.length} requests after everything was unpublished`] : []),
		...endless(database.executions),
	];
}

const surprises: Judge<MissedOutcome> = ({ database }) => database.surprises;

export const MISSED_JUDGES = [
	surprises,
	neverRan,
	ranTwice,
	neverWanted,
	inWrongOrder,
	tooManyRequests,
	neverEnding,
];
