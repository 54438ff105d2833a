import type { ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';

import { startRepairLoop } from './activation/repairLoop';
import { startCatchUp, startPolling } from './catchUp/messageLoop';
import { DEFAULT_CATCH_UP_MINUTES, isPolling, recordsRuns } from './catchUp/settings';

/**
 * Starts what a published trigger does without a delivery. n8n calls this on the leader, when the workflow is published
 * and at each start.
 */
export function startTriggerLoops(context: ITriggerFunctions): ITriggerResponse {
	if (context.getMode() === 'manual') return {};
	const ends = loopsOf(context);
	return {
		async closeFunction() {
			for (const end of ends) end();
			await Promise.resolve();
		},
	};
}

function loopsOf(context: ITriggerFunctions): Array<() => void> {
	const node = context.getNode();
	if (isPolling(node)) return [startPolling(context)];
	const events = context.getNodeParameter('events', []) as string[];
	const minutes = context.getNodeParameter('options.catchUp', DEFAULT_CATCH_UP_MINUTES);
	const catchesUp = events.includes('message.received') && recordsRuns(node, minutes);
	return [startRepairLoop(context), ...(catchesUp ? [startCatchUp(context)] : [])];
}
