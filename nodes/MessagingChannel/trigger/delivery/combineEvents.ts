import { UserError, type INodeProperties } from 'n8n-workflow';

import type { ChatLimits } from '../combining/chatBuffer';
import { chatKeyOf } from '../combining/chatItem';
import type { GroupLimits } from '../combining/groupCommit';
import type { ServiceEvent } from './event';
import { numberOf, ONLY_WEBHOOK, timeoutSecondsOf, type TriggerParameters } from './options';

export const maxEvents: INodeProperties = {
	displayName: 'Max Events',
	name: 'maxEvents',
	type: 'number',
	displayOptions: ONLY_WEBHOOK,
	// While they wait, n8n keeps all of them in memory.
	typeOptions: { minValue: 1, maxValue: 100, numberPrecision: 0 },
	default: 100,
	placeholder: 'e.g. 100',
	description: "How many events one execution takes at most. Used if 'Combine Events' is 'When Busy'.",
};

export const silence: INodeProperties = {
	displayName: 'Silence (Seconds)',
	name: 'silence',
	type: 'number',
	displayOptions: ONLY_WEBHOOK,
	typeOptions: { minValue: 0.1, maxValue: 10, numberPrecision: 1 },
	default: 3,
	placeholder: 'e.g. 3',
	description:
		"How long nobody must write in a chat before its messages start an execution. Used if 'Combine Events' is 'Per Chat'.",
};

/** n8n stores an execution in milliseconds, unless it is busy. */
const MAX_WAIT_MS = 5_000;

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
	const seconds = numberOf(context, silence);
	const maxWaitMs = Math.max(0, ms / 2 - FORWARDING_MS);
	if (seconds * 1000 > maxWaitMs) {
		const advice = isOwn
			? "Enter another number, or raise 'Timeout (Seconds)'."
			: `The service waits only ${ms / 1000} seconds, whatever 'Timeout (Seconds)' says. Enter another number.`;
		throw new UserError(
			`'Silence (Seconds)' is too large: ${seconds}. It can be at most ${maxWaitMs / 1000} seconds: one second less than half of 'Timeout (Seconds)'. ${advice}`,
		);
	}
	return { silenceMs: seconds * 1000, maxWaitMs };
}

function groupLimitsOf(context: TriggerParameters, timeoutMs: number): GroupLimits {
	return { maxEvents: numberOf(context, maxEvents), maxWaitMs: Math.min(MAX_WAIT_MS, timeoutMs / 2) };
}
