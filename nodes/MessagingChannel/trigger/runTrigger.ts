import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { parseChat } from '../api/chat';
import { isOn, recordOrEmpty } from '../api/values';
import { keepNumbers } from '../recipients/hiddenNumbers';
import { numberBeside } from '../recipients/recipient';
import { handOverReplies } from './answers/handOverReplies';
import { withMedia } from './withMedia';
import { mayRunFetched } from './catchUp/fetchedRun';
import { answerLookUp, lookUpIn } from './catchUp/lookUp';
import { recordsRuns } from './catchUp/settings';
import { beginRun, recordEnd } from './catchUp/workflowRuns';
import { chatItemOf, messagesIn, withMessages } from './combining/chatItem';
import { isDuplicateRun } from './deduplication/ranBefore';
import { eventOf } from './delivery/event';
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
	const { items, node, continuesOnFail } = run;
	const json = items[0]?.json;
	const error = reportError(node, json);
	if (error) {
		// n8n need not keep failed executions.
		run.logger.warn(`${node.name}: ${error.message}. ${error.description}`);
		if (!continuesOnFail) throw error;
		// Only the error output shows it. On the other, the item would look like an event.
		const item = { json: { ...json, error: error.message }, error };
		return node.onError === 'continueErrorOutput' ? [item] : [];
	}
	const asked = lookUpIn(json);
	if (asked) {
		await answer(run, asked);
		return [];
	}
	await keepHiddenNumbers(run);
	const begun = await beginRuns(run, await newItems(run, items));
	const wanted = await handOverReplies(run, combinedPerChat(run, begun));
	// An expression can decide it for each item. Only an item that is alone is built anew.
	const indexOf = (item: INodeExecutionData) => Math.max(0, items.indexOf(item));
	return await withMedia(run, wanted, (item) =>
		isOn(run.parametersOf(indexOf(item)).getNodeParameter('options.downloadMedia', false)),
	);
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

/** The items whose events have not run yet. Other modes, such as a test or a retry, must always run the events. */
async function newItems(run: TriggerRun, items: INodeExecutionData[]): Promise<INodeExecutionData[]> {
	const { mode } = run;
	if (mode === 'webhook') return await withoutDuplicates(run, items);
	const json = items[0]?.json;
	if (mode !== 'trigger' || !json) return items;
	return (await mayRunFetched(run, json)) ? items : [];
}

async function withoutDuplicates(
	run: TriggerRun,
	items: INodeExecutionData[],
): Promise<INodeExecutionData[]> {
	const { executionId, row } = run;
	return await withEvents(items, async (event, eventId) => {
		if (typeof eventId !== 'string') return true;
		const { keys, message } = eventOf(eventId, {}, event);
		const eventRun = {
			keys,
			executionId,
			processStartedAt: PROCESS_STARTED_AT,
			messageTimestamp: message.seconds,
		};
		return !(await isDuplicateRun(eventRun, stateOf(run), row));
	});
}

/** Begins the runs of messages, and leaves out those that a fetched copy runs meanwhile. Records the runs when they end. */
async function beginRuns(run: TriggerRun, items: INodeExecutionData[]): Promise<INodeExecutionData[]> {
	const { mode } = run;
	if (mode === 'manual' || !recordsRuns(run)) return items;
	return await withEvents(items, (event) => {
		// A retry runs in any case.
		if (!beginRun(run, event) && mode === 'webhook') return false;
		recordEnd(run, event);
		return true;
	});
}

/** The items with the events that are wanted. Each message of an item with several is an event. */
async function withEvents(
	items: INodeExecutionData[],
	isWanted: (event: IDataObject, eventId: unknown) => boolean | Promise<boolean>,
): Promise<INodeExecutionData[]> {
	const wantedItems = items.map(async (item) => {
		const messages = messagesIn(item);
		if (!messages) return (await isWanted(item.json, item.json.event_id)) ? [item] : [];
		const areWanted = await Promise.all(
			messages.map(
				async ({ eventId, message }) => await isWanted({ event: 'message.received', message }, eventId),
			),
		);
		const wanted = messages.filter((_, index) => areWanted[index]);
		return wanted.length > 0 ? [withMessages(item, wanted)] : [];
	});
	return (await Promise.all(wantedItems)).flat();
}

/** Fetched messages as the item of their chat, if that is how the trigger outputs delivered ones. */
function combinedPerChat({ parameters }: TriggerRun, items: INodeExecutionData[]): INodeExecutionData[] {
	if (!isPerChat(parameters) || items[0]?.json.fetched !== true || messagesIn(items[0])) return items;
	const { json } = chatItemOf(items);
	return [{ json: { ...json, fetched: true } }];
}
