import type { IDataObject } from 'n8n-workflow';

import type { Verdict } from '../deduplication/messageRuns';
import { FETCHED } from '../deduplication/ranBefore';
import { eventOf } from '../delivery/event';
import { clock } from '../account/clock';
import { stateOf } from '../delivery/state';
import type { TriggerRun } from '../delivery/trigger';
import { messageIdIn } from './fetchedMessage';
import { messageNameOf, runsOf } from './workflowRuns';

/**
 * Whether a fetched message runs in this execution. It does not if it ran before, or runs in another execution of this
 * process, delivered or fetched.
 */
export async function mayRunFetched(run: TriggerRun, json: IDataObject): Promise<boolean> {
	const messageId = messageIdIn(json);
	if (messageId === undefined) return true;
	const name = messageNameOf(run, messageId);
	const { executionId, node, logger } = run;
	const runs = runsOf(run);
	// n8n can run the node again in the same execution, for example with Retry On Fail.
	if (runs.isBegunBy(name, executionId)) return true;
	const { inFlight, processed } = stateOf(run);
	const attempt = inFlight.claim(eventOf(String(json.event_id), {}, json).keys, clock.now());
	// A delivered copy that was dropped here says nothing of the run elsewhere, which may have been cut off.
	if (!attempt.isNew && !attempt.claim.ranElsewhere) return false;
	// Also if it runs in another execution: a delivered copy would wait for a claim that nobody settles.
	if (attempt.isNew) attempt.settle(true, clock.now());
	if (!runs.begin(name, executionId)) return false;
	// Without the database, it counts as new, also if n8n has recovered its execution: losing it would be worse.
	const verdict = await runs.mayRun(name, run.workflowRow).catch((): Verdict => {
		logger.warn(
			`${node.name}: the database could not be asked whether the message ${messageId} ran before, so it may run twice`,
		);
		return 'open';
	});
	if (verdict === 'exhausted') {
		// A run that stays open would start another execution at each look-up, forever.
		void runs.end(name, run.workflowRow);
		logger.error(
			`${node.name}: the message ${messageId} does not run again, because n8n was ended three times while it ran`,
		);
	}
	if (verdict !== 'open') return false;
	processed.finish(attempt.claim.keys, run.row, FETCHED);
	return true;
}
