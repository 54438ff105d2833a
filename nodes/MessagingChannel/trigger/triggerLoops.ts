import type { ITriggerResponse } from 'n8n-workflow';

import { startInBackground } from '../n8n/backgroundLoop';
import { notePollingReceiver } from '../sendAndWait/inChat/answerReceivers';
import { answerTagFor } from './answers/answerTagFor';
import { startRepairLoop } from './activation/repairLoop';
import { startCatchUp, startPolling } from './catchUp/messageLoop';
import { recordsRuns } from './catchUp/settings';
import { selectedEvents } from './delivery/filter';
import { isPolling, receivingProblem } from './delivery/options';
import { stateOf } from './delivery/state';
import type { PublishedTrigger } from './delivery/trigger';

/**
 * Starts what a published trigger does without a delivery. n8n calls this on the leader, when the workflow is published
 * and at each start.
 */
export function startTriggerLoops(trigger: PublishedTrigger): ITriggerResponse {
	const ends = loopsOf(trigger);
	return {
		async closeFunction() {
			for (const end of ends) end();
			await Promise.resolve();
		},
	};
}

/** Lets the questions of this process know that a trigger which polls takes answers. */
function noteAnswerReceiver(trigger: PublishedTrigger): () => void {
	const tagOf = async () =>
		stateOf(trigger).isRefused ? undefined : answerTagFor(trigger.parameters, await trigger.credential());
	return startInBackground(trigger, 'answers', async (stopped) => {
		stopped.addEventListener('abort', notePollingReceiver(tagOf));
		await Promise.resolve();
	});
}

function loopsOf(trigger: PublishedTrigger): Array<() => void> {
	const problem = receivingProblem(trigger);
	if (problem) {
		// Nothing else says so at startup. Deliveries are held back, too, and repairs go on, so that they keep coming.
		trigger.logger.error(`${trigger.node.name}: ${problem.message}. ${problem.description}`);
		return isPolling(trigger.node) ? [] : [startRepairLoop(trigger)];
	}
	if (isPolling(trigger.node)) return [startPolling(trigger), noteAnswerReceiver(trigger)];
	const catchesUp = selectedEvents(trigger.parameters).includes('message.received') && recordsRuns(trigger);
	return [startRepairLoop(trigger), ...(catchesUp ? [startCatchUp(trigger)] : [])];
}
