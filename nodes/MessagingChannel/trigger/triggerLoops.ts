import type { ITriggerResponse } from 'n8n-workflow';

import type { ErrorTexts } from '../api/errors';
import { startInBackground } from '../n8n/backgroundLoop';
import { notePollingReceiver } from '../sendAndWait/inChat/answerReceivers';
import { answerTagFor } from './answers/answerTagFor';
import { startRepairLoop } from './activation/repairLoop';
import { isStartup } from './catchUp/listening';
import { startCatchUp, startPolling } from './catchUp/messageLoop';
import { recordsRuns } from './catchUp/settings';
import { selectedEvents } from './delivery/filter';
import { isPolling, receivingProblem } from './delivery/options';
import type { PublishedTrigger } from './delivery/trigger';

/**
 * Starts what a published trigger does without a delivery. n8n calls this on the leader, when the workflow is published
 * and at each start.
 */
export function startTriggerLoops(trigger: PublishedTrigger): ITriggerResponse {
	if (trigger.isTest) return {};
	const problem = receivingProblem(trigger);
	const ends = problem ? holdBack(trigger, problem) : loopsOf(trigger);
	return {
		async closeFunction() {
			for (const end of ends) end();
			await Promise.resolve();
		},
	};
}

/** Lets the questions of this process know that a trigger which polls takes answers. */
function noteAnswerReceiver(trigger: PublishedTrigger): () => void {
	const tagOf = async () => answerTagFor(trigger.parameters, await trigger.credential());
	return startInBackground(trigger, 'answers', async (stopped) => {
		stopped.addEventListener('abort', notePollingReceiver(tagOf));
		await Promise.resolve();
	});
}

/**
 * Looks for no messages while the settings do not fit, and says so, as nothing else does at startup. Deliveries are held back,
 * too, and repairs go on, so that they keep coming.
 */
function holdBack(trigger: PublishedTrigger, { message, description }: ErrorTexts): Array<() => void> {
	trigger.logger.error(`${trigger.node.name}: ${message}. ${description}`);
	if (!isPolling(trigger.node)) return [startRepairLoop(trigger)];
	// Engine 2.0 would run the nodes behind the trigger with the report.
	if (isStartup(trigger) && !trigger.isSetToEngine2)
		trigger.report({ held_back_since: new Date(Date.now()).toISOString() });
	return [];
}

function loopsOf(trigger: PublishedTrigger): Array<() => void> {
	if (isPolling(trigger.node)) return [startPolling(trigger), noteAnswerReceiver(trigger)];
	const catchesUp = selectedEvents(trigger.parameters).includes('message.received') && recordsRuns(trigger);
	return [startRepairLoop(trigger), ...(catchesUp ? [startCatchUp(trigger)] : [])];
}
