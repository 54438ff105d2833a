import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { parseChat } from '../api/message';
import { isOn, recordOrEmpty } from '../api/values';
import { keepNumbers } from '../recipients/hiddenNumbers';
import { numberBeside } from '../recipients/recipient';
import { clock } from './account/clock';
import { handOverReplies } from './answers/handOverReplies';
import { withMedia } from './withMedia';
import { answerLookUp, lookUpIn } from './catchUp/lookUp';
import { recordsRuns } from './catchUp/settings';
import { beginRun, mayRunFetched, recordEnd } from './catchUp/workflowRuns';
import { chatItemOf, messagesIn, withMessages } from './combining/chatItem';
import { isDuplicateRun } from './deduplication/ranBefore';
import { eventOf, type ServiceEvent } from './delivery/event';
import { isPerChat } from './delivery/options';
import type { TriggerRun } from './delivery/trigger';
import { reportError } from './delivery/reports';
import { PROCESS_STARTED_AT, stateOf } from './delivery/state';

/**
 * Runs the trigger for events that n8n has accepted: drops duplicate runs, hands replies to waiting questions, and downloads
 * media. This does not delay the response to the service.
 *
 * @returns the items of the events that have not run yet
 * @throws NodeOperationError if the run only reports a problem, or it is not known whether a question took its answer
 */
export async function runTrigger(run: TriggerRun): Promise<INodeExecutionData[]> {
	const { items } = run;
	const told = tellReport(run, items[0]?.json);
	if (told) return told;
	const asked = lookUpIn(items[0]?.json);
	if (asked) {
		await answer(run, asked);
		return [];
	}
	await keepHiddenNumbers(run);
	const wanted = await handOverReplies(run, combinedPerChat(run, await beginRuns(run)));
	const toldOfReply = tellReport(run, wanted[0]?.json);
	if (toldOfReply) return toldOfReply;
	// An expression can decide it for each item. Only an item that is alone is built anew.
	const indexOf = (item: INodeExecutionData) => Math.max(0, items.indexOf(item));
	return await withMedia(run, wanted, (item) =>
		isOn(run.parametersOf(indexOf(item)).getNodeParameter('options.downloadMedia', false)),
	);
}

/**
 * Tells the user what the first item reports.
 *
 * @returns what the run outputs then; undefined if it reports nothing
 * @throws NodeOperationError unless n8n is to go on
 */
function tellReport(
	{ node, logger, continuesOnFail }: TriggerRun,
	report: IDataObject | undefined,
): INodeExecutionData[] | undefined {
	const error = reportError(node, report);
	if (!error) return undefined;
	// n8n need not keep failed executions.
	logger.warn(`${node.name}: ${error.message}. ${error.description}`);
	if (!continuesOnFail) throw error;
	// Only the error output shows it. On the other, the item would look like an event.
	const item = { json: { ...report, error: error.message }, error };
	return node.onError === 'continueErrorOutput' ? [item] : [];
}

/** Keeps the numbers behind the IDs of chats for the nodes that follow, such as one that skips contacts with tags. */
async function keepHiddenNumbers({ items, accountState }: TriggerRun): Promise<void> {
	const chats = items.map(({ json }) => parseChat(recordOrEmpty(json.chat) as IDataObject));
	if (chats.every((chat) => numberBeside(chat) === undefined)) return;
	// What needs the credential says why it cannot be used.
	const account = await accountState().catch(() => undefined);
	if (account) keepNumbers(account, chats);
}

/** Answers a look-up, whose item is no event. A retry has nobody who waits for the answer. */
async function answer(run: TriggerRun, asked: readonly string[]): Promise<void> {
	if (run.mode !== 'trigger') return;
	await answerLookUp(run, asked).catch((error: unknown) => {
		// With On Error set to continue, n8n would output the item. The trigger asks again.
		if (!run.continuesOnFail) throw error;
	});
}

/** The items with the events that run in this execution. Each message of an item with several is an event. */
async function beginRuns(run: TriggerRun): Promise<INodeExecutionData[]> {
	const begun = run.items.map(async (item) => {
		const messages = messagesIn(item);
		if (!messages) return (await begins(run, eventIn(item.json))) ? [item] : [];
		const events = messages.map(({ eventId, message }) =>
			eventIn({ event: 'message.received', event_id: eventId, message }),
		);
		const areBegun = await Promise.all(events.map(async (event) => await begins(run, event)));
		const left = messages.filter((_, index) => areBegun[index]);
		return left.length > 0 ? [withMessages(item, left)] : [];
	});
	return (await Promise.all(begun)).flat();
}

/** The event of an item. Its ID is empty if it has none, for example because somebody entered the item by hand. */
function eventIn(json: IDataObject): ServiceEvent {
	return eventOf(typeof json.event_id === 'string' ? json.event_id : '', {}, json);
}

/**
 * Whether an event runs in this execution. It does not if it ran before, or runs in another one. The run of a message is recorded
 * when it ends. A test and a retry always run their events.
 */
async function begins(run: TriggerRun, event: ServiceEvent): Promise<boolean> {
	const { mode } = run;
	if (mode === 'webhook' && (await isDuplicate(run, event))) return false;
	const messageId = event.type === 'message.received' ? event.message.id : undefined;
	if (messageId === undefined) return true;
	if (mode === 'trigger' && !(await mayRunFetched(run, event.keys, messageId))) return false;
	if (mode === 'manual' || !recordsRuns(run)) return true;
	// A fetched copy runs meanwhile.
	if (!beginRun(run, messageId) && mode === 'webhook') return false;
	recordEnd(run, messageId);
	return true;
}

async function isDuplicate(run: TriggerRun, { id, keys, message }: ServiceEvent): Promise<boolean> {
	if (id === '') return false;
	const { executionId, row } = run;
	const eventRun = {
		keys,
		executionId,
		processStartedAt: PROCESS_STARTED_AT,
		messageTimestamp: message.seconds,
	};
	return await isDuplicateRun(eventRun, stateOf(run), row, clock);
}

/** Fetched messages as the item of their chat, if that is how the trigger outputs delivered ones. */
function combinedPerChat({ parameters }: TriggerRun, items: INodeExecutionData[]): INodeExecutionData[] {
	if (!isPerChat(parameters) || items[0]?.json.fetched !== true || messagesIn(items[0])) return items;
	const { json } = chatItemOf(items);
	return [{ json: { ...json, fetched: true } }];
}
