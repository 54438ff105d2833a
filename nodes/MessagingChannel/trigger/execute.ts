import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { withMedia } from './media';
import { messagesIn, withMessages } from './combining/chatItem';
import { keyStoreOf } from '../n8n/keyStore';
import { MAX_EVENT_KEYS } from './deduplication/processedEvents';
import { isDuplicateRun } from './deduplication/isDuplicateRun';
import { keysOf } from './delivery/event';
import { receiverError } from './delivery/receiverProblem';
import { signatureError } from './delivery/signatureFailures';
import { PROCESS_STARTED_AT, stateOf } from './delivery/state';

/**
 * Runs the trigger for events that n8n has accepted: drops duplicate runs, and downloads media. This does not delay
 * the response to the service.
 *
 * @returns the items of the events that have not run yet
 * @throws NodeOperationError if the run only reports a problem with the webhook
 */
export async function runTrigger(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const items = context.getInputData();
	const node = context.getNode();
	const json = items[0]?.json;
	const error = signatureError(node, json) ?? receiverError(node, json);
	// With On Error set to continue, n8n would output the item as if it were an event.
	if (error && context.continueOnFail()) return [];
	if (error) throw error;
	// Other modes, such as a test or a retry, must always run the events.
	const wanted = context.getMode() === 'webhook' ? await withoutDuplicates(context, items) : items;
	const download = context.getNodeParameter('options.downloadMedia', 0, false) as boolean;
	return download ? await withMedia(context, wanted) : wanted;
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
