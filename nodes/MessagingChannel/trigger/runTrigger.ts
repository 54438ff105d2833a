import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { isOn } from '../api/values';
import { withoutAnswers } from './answers/withoutAnswers';
import { withMedia } from './withMedia';
import { beginRun, mayRunFetched, recordEnd } from './catchUp/fetchedRun';
import { answerLookUp, lookUpIn, type LookUp } from './catchUp/lookUp';
import { recordsRuns } from './catchUp/settings';
import { chatItemOf, messagesIn, withMessages } from './combining/chatItem';
import { keyStoreOf } from '../n8n/keyStore';
import { MAX_EVENT_KEYS } from './deduplication/processedEvents';
import { isDuplicateRun } from './deduplication/isDuplicateRun';
import { keysOf, messageTimestampIn } from './delivery/event';
import { receiverError } from './delivery/receiverProblem';
import { signatureError } from './delivery/signatureFailures';
import { PROCESS_STARTED_AT, stateOf } from './delivery/state';

/**
 * Runs the trigger for events that n8n has accepted: drops duplicate runs, hands replies to waiting questions, and downloads
 * media. This does not delay the response to the service.
 *
 * @returns the items of the events that have not run yet
 * @throws NodeOperationError if the run only reports a problem with the webhook, or it is not known whether a question took
 *   its answer
 */
export async function runTrigger(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const items = context.getInputData();
	const node = context.getNode();
	const json = items[0]?.json;
	const asked = lookUpIn(json);
	if (asked) {
		await answered(context, asked);
		return [];
	}
	const error = signatureError(node, json) ?? receiverError(node, json);
	if (error) {
		if (!context.continueOnFail()) throw error;
		context.logger.warn(`${node.name}: ${error.message}. ${error.description}`);
		// Only the error output shows it. On the other, the item would look like an event.
		const item = { json: { ...json, error: error.message }, error };
		return node.onError === 'continueErrorOutput' ? [item] : [];
	}
	const received = inForm(context, recorded(context, await wantedItems(context, items)));
	const wanted = await withoutAnswers(context, received);
	// An expression can decide it for each item. Only an item that is alone is built anew.
	const indexOf = (item: INodeExecutionData) => Math.max(0, items.indexOf(item));
	return await withMedia(context, wanted, (item) =>
		isOn(context.getNodeParameter('options.downloadMedia', indexOf(item), false)),
	);
}

/** Answers a look-up, whose item is no event. A retry has nobody who waits for the answer. */
async function answered(context: IExecuteFunctions, asked: LookUp): Promise<void> {
	if (context.getMode() !== 'trigger') return;
	await answerLookUp(context, asked).catch((error: unknown) => {
		// With On Error set to continue, n8n would output the item. The trigger asks again.
		if (!context.continueOnFail()) throw error;
	});
}

/** The items that run in this execution. Other modes, such as a test or a retry, must always run the events. */
async function wantedItems(
	context: IExecuteFunctions,
	items: INodeExecutionData[],
): Promise<INodeExecutionData[]> {
	const mode = context.getMode();
	if (mode === 'webhook') return await withoutDuplicates(context, items);
	const json = items[0]?.json;
	if (mode !== 'trigger' || !json) return items;
	return (await mayRunFetched(context, json)) ? items : [];
}

/** The items whose events have not run yet. */
async function withoutDuplicates(
	context: IExecuteFunctions,
	items: INodeExecutionData[],
): Promise<INodeExecutionData[]> {
	const store = keyStoreOf(context, MAX_EVENT_KEYS);
	const isNew = async (eventId: string, event: IDataObject): Promise<boolean> => {
		const run = {
			keys: keysOf(eventId, event),
			executionId: context.getExecutionId(),
			processStartedAt: PROCESS_STARTED_AT,
			messageTimestamp: messageTimestampIn(event),
		};
		return !(await isDuplicateRun(run, stateOf(context), store));
	};
	const newItemsOf = async (item: INodeExecutionData): Promise<INodeExecutionData[]> => {
		const { json } = item;
		if (typeof json.event_id === 'string') return (await isNew(json.event_id, json)) ? [item] : [];
		const messages = messagesIn(item);
		if (!messages) return [item];
		const areNew = await Promise.all(
			messages.map(
				async ({ eventId, message }) => await isNew(eventId, { event: 'message.received', message }),
			),
		);
		if (areNew.every(Boolean)) return [item];
		const newMessages = messages.filter((_, index) => areNew[index]);
		return newMessages.length > 0 ? [withMessages(item, newMessages)] : [];
	};
	return (await Promise.all(items.map(newItemsOf))).flat();
}

/** Records that the messages of the items run here, without those that a fetched copy runs meanwhile. */
function recorded(context: IExecuteFunctions, items: INodeExecutionData[]): INodeExecutionData[] {
	const mode = context.getMode();
	const trigger = {
		getNode: () => context.getNode(),
		getNodeParameter: (name: string, fallback: unknown) => context.getNodeParameter(name, 0, fallback),
	};
	if (mode === 'manual' || !recordsRuns(trigger)) return items;
	const isFree = (event: IDataObject): boolean => {
		// A retry runs in any case.
		if (!beginRun(context, event) && mode === 'webhook') return false;
		recordEnd(context, event);
		return true;
	};
	return items.flatMap((item) => {
		const messages = messagesIn(item);
		if (!messages) return isFree(item.json) ? [item] : [];
		const free = messages.filter(({ message }) => isFree({ event: 'message.received', message }));
		if (free.length === messages.length) return [item];
		return free.length > 0 ? [withMessages(item, free)] : [];
	});
}

/** A fetched message in the form in which the trigger puts out delivered ones. */
function inForm(context: IExecuteFunctions, items: INodeExecutionData[]): INodeExecutionData[] {
	const isPerChat = context.getNodeParameter('options.combineEvents', 0, 'never') === 'perChat';
	if (!isPerChat || items[0]?.json.fetched !== true || messagesIn(items[0])) return items;
	const { json } = chatItemOf(items);
	return [{ json: { ...json, fetched: true } }];
}
