import { UserError, type IWebhookFunctions } from 'n8n-workflow';

import { shown } from '../../operation/input';
import type { GroupLimits } from '../combining/groupCommit';

/** The most events of one execution. While they wait, n8n keeps all of them in memory. */
export const MAX_EVENTS = 100;

/** n8n stores an execution in milliseconds, unless it is busy. */
const MAX_WAIT_MS = 5_000;

/** What the trigger's parameters say about events that arrive together. */
export type CombineEvents = { mode: 'never' } | ({ mode: 'whenBusy' } & GroupLimits);

/**
 * How the events of a trigger are combined. A test never combines, because n8n ends it with the first event.
 *
 * @throws UserError if 'Maximum Events' is invalid; n8n shows only the message, so it contains the advice
 */
export function combineEventsOf(
	context: Pick<IWebhookFunctions, 'getNodeParameter' | 'getMode'>,
): CombineEvents {
	const mode = context.getNodeParameter('options.combineEvents', 'never') as CombineEvents['mode'];
	if (mode === 'never' || context.getMode() === 'manual') return { mode: 'never' };
	const maxEvents = Number(context.getNodeParameter('options.maxEvents', MAX_EVENTS));
	if (!Number.isInteger(maxEvents) || maxEvents < 1 || maxEvents > MAX_EVENTS) {
		throw new UserError(
			`'Maximum Events' is not a whole number from 1 to 100: ${shown(maxEvents)}. Enter one, or remove the option.`,
		);
	}
	const timeoutSeconds = Number(context.getNodeParameter('options.timeoutSeconds', 30));
	return { mode, maxEvents, maxWaitMs: Math.min(MAX_WAIT_MS, timeoutSeconds * 500) };
}
