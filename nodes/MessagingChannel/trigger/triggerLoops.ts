import type { ICredentialDataDecryptedObject, ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';

import type { ErrorTexts } from '../api/errors';
import { startInBackground } from '../n8n/backgroundLoop';
import { CREDENTIAL } from '../n8n/connect';
import { emitAndWait } from '../n8n/emit';
import { isSetToEngine2 } from '../n8n/engine';
import { notePollingReceiver } from '../sendAndWait/inChat/answerReceivers';
import { answerTagFor } from './answers/answerTagFor';
import { startRepairLoop } from './activation/repairLoop';
import { isStartup } from './catchUp/listening';
import { startCatchUp, startPolling } from './catchUp/messageLoop';
import { isPolling, recordsRuns } from './catchUp/settings';
import { selectedEvents } from './delivery/filter';
import { receivingProblem } from './delivery/nodeSettings';
import { reportItem } from './delivery/reports';

/**
 * Starts what a published trigger does without a delivery. n8n calls this on the leader, when the workflow is published
 * and at each start.
 */
export function startTriggerLoops(context: ITriggerFunctions): ITriggerResponse {
	if (context.getMode() === 'manual') return {};
	const problem = receivingProblem(context);
	const ends = problem ? holdBack(context, problem) : loopsOf(context);
	return {
		async closeFunction() {
			for (const end of ends) end();
			await Promise.resolve();
		},
	};
}

/** Lets the questions of this process know that a trigger which polls takes answers. */
function noteAnswerReceiver(context: ITriggerFunctions): () => void {
	const tagOf = async () =>
		answerTagFor(context, await context.getCredentials<ICredentialDataDecryptedObject>(CREDENTIAL));
	return startInBackground(context, 'answers', async (stopped) => {
		stopped.addEventListener('abort', notePollingReceiver(tagOf));
		await Promise.resolve();
	});
}

/**
 * Looks for no messages while the settings do not fit, and says so, as nothing else does at startup. Deliveries are held back,
 * too, and repairs go on, so that they keep coming.
 */
function holdBack(context: ITriggerFunctions, { message, description }: ErrorTexts): Array<() => void> {
	context.logger.error(`${context.getNode().name}: ${message}. ${description}`);
	if (!isPolling(context.getNode())) return [startRepairLoop(context)];
	// Engine 2.0 would run the nodes behind the trigger with the report.
	if (isStartup(context) && !isSetToEngine2(context))
		void emitAndWait(context, reportItem({ held_back_since: new Date(Date.now()).toISOString() }));
	return [];
}

function loopsOf(context: ITriggerFunctions): Array<() => void> {
	if (isPolling(context.getNode())) return [startPolling(context), noteAnswerReceiver(context)];
	const catchesUp = selectedEvents(context).includes('message.received') && recordsRuns(context);
	return [startRepairLoop(context), ...(catchesUp ? [startCatchUp(context)] : [])];
}
