import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { withMedia } from './media';
import { keyStoreOf } from '../n8n/keyStore';
import { MOST_KEYS } from './deduplication/processedEvents';
import { isDuplicateRun } from './deduplication/isDuplicateRun';
import { signatureError } from './delivery/signatureFailures';
import { PROCESS_STARTED, stateOf } from './delivery/state';

/**
 * What happens once n8n has taken an event: it is remembered beyond a restart, and its media are fetched. All of this
 * comes after the answer to the service or beside it.
 *
 * @returns the items, or none when the event ran already
 * @throws NodeOperationError when the run is there only to tell that events cannot be verified any more
 */
export async function runTrigger(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const items = context.getInputData();
	const error = signatureError(context.getNode(), items[0]?.json);
	// With On Error set to continue, n8n would hand the item on as if it were an event.
	if (error && context.continueOnFail()) return [];
	if (error) throw error;
	const eventId = items[0]?.json.event_id;
	// Anything else than a delivery is somebody who wants it to run: a test, or a retry of what was cut off.
	if (context.getMode() === 'webhook' && typeof eventId === 'string') {
		const run = { eventId, executionId: context.getExecutionId(), processStarted: PROCESS_STARTED };
		if (await isDuplicateRun(run, stateOf(context), keyStoreOf(context, MOST_KEYS).record)) return [];
	}
	const download = context.getNodeParameter('options.downloadMedia', 0, false) as boolean;
	return download ? await withMedia(context, items) : items;
}
