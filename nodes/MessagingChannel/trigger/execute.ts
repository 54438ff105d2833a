import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { withMedia } from './media';
import { keyStoreOf } from '../n8n/keyStore';
import { MAX_EVENT_KEYS } from './deduplication/processedEvents';
import { isDuplicateRun } from './deduplication/isDuplicateRun';
import { keysOf } from './delivery/event';
import { receiverError } from './delivery/receiverProblem';
import { signatureError } from './delivery/signatureFailures';
import { PROCESS_STARTED_AT, stateOf } from './delivery/state';

/**
 * Runs the trigger for an event that n8n has accepted: drops a duplicate run, and downloads media. This does not delay
 * the response to the service.
 *
 * @returns the items, or none if the event has already run
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
	const eventId = json?.event_id;
	// Other modes, such as a test or a retry, must always run the event.
	if (context.getMode() === 'webhook' && json && typeof eventId === 'string') {
		const run = {
			keys: keysOf(eventId, json),
			executionId: context.getExecutionId(),
			processStartedAt: PROCESS_STARTED_AT,
		};
		if (await isDuplicateRun(run, stateOf(context), keyStoreOf(context, MAX_EVENT_KEYS))) return [];
	}
	const download = context.getNodeParameter('options.downloadMedia', 0, false) as boolean;
	return download ? await withMedia(context, items) : items;
}
