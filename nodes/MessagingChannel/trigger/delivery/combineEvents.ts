import { UserError } from 'n8n-workflow';

import { shown } from '../../operation/input';
import type { ChatLimits } from '../combining/chatBuffer';
import { chatKeyOf } from '../combining/chatItem';
import type { GroupLimits } from '../combining/groupCommit';
import type { ServiceEvent } from './event';
import { optionOf, timeoutSecondsOf, type TriggerParameters } from './options';

/** The most events of one execution. While they wait, n8n keeps all of them in memory. */
export const MAX_EVENTS = 100;

/** n8n stores an execution in milliseconds, unless it is busy. */
const MAX_WAIT_MS = 5_000;

export const DEFAULT_SILENCE_SECONDS = 3;
export const MAX_SILENCE_SECONDS = 10;

/** What n8n takes to store an execution, and a workflow that shares its webhook to forward an event. */
const FORWARDING_MS = 1_000;

/** What the trigger's parameters say about events that arrive together. */
export type CombineEvents =
	{ mode: 'never' } | ({ mode: 'whenBusy' } & GroupLimits) | ({ mode: 'perChat' } & ChatLimits);

/**
 * How the events of a trigger are combined.
 *
 * @param registeredSeconds how long the service waits for a response, if that is known
 * @throws UserError if an option is invalid; n8n shows only the message, so it contains the advice
 */
export function combineEventsOf(context: TriggerParameters, registeredSeconds?: number): CombineEvents {
	const mode = context.getNodeParameter('options.combineEvents', 'never') as CombineEvents['mode'];
	const own = timeoutSecondsOf(context);
	const seconds = Math.min(own, registeredSeconds ?? own);
	const timeout = { ms: seconds * 1000, isOwn: seconds === own };
	if (mode === 'perChat') return { mode, ...chatLimitsOf(context, timeout) };
	return mode === 'whenBusy' ? { mode, ...groupLimitsOf(context, timeout.ms) } : { mode: 'never' };
}

/** The chat whose silence an event waits for; undefined for an event that goes at once. */
export function chatOf({ id, type, body }: ServiceEvent): string | undefined {
	return type === 'message.received' ? (chatKeyOf(body) ?? `event ${id}`) : undefined;
}

/** How long the service waits for a response, and whether that is what the panel says. */
interface Timeout {
	ms: number;
	isOwn: boolean;
}

/** The service redelivers what gets no response in time, so half of that time is left for n8n. */
function chatLimitsOf(context: TriggerParameters, { ms, isOwn }: Timeout): ChatLimits {
	const silence = Number(optionOf(context, 'silence', DEFAULT_SILENCE_SECONDS));
	const maxWaitMs = Math.max(0, ms / 2 - FORWARDING_MS);
	const most = Math.min(MAX_SILENCE_SECONDS, maxWaitMs / 1000);
	if (!(silence > 0 && silence <= most)) {
		const advice = isOwn
			? "Enter another number, or raise 'Timeout (Seconds)'."
			: `The service waits only ${ms / 1000} seconds, whatever 'Timeout (Seconds)' says. Enter another number.`;
		throw new UserError(
			`'Silence (Seconds)' is not between 0 and ${most} seconds: ${shown(silence)}. It can be at most ${MAX_SILENCE_SECONDS} seconds, and one second less than half of 'Timeout (Seconds)'. ${advice}`,
		);
	}
	return { silenceMs: silence * 1000, maxWaitMs };
}

function groupLimitsOf(context: TriggerParameters, timeoutMs: number): GroupLimits {
	const maxEvents = Number(optionOf(context, 'maxEvents', MAX_EVENTS));
	if (!Number.isInteger(maxEvents) || maxEvents < 1 || maxEvents > MAX_EVENTS) {
		throw new UserError(
			`'Max Events' is not a whole number from 1 to ${MAX_EVENTS}: ${shown(maxEvents)}. Enter one, or remove the option.`,
		);
	}
	return { maxEvents, maxWaitMs: Math.min(MAX_WAIT_MS, timeoutMs / 2) };
}
