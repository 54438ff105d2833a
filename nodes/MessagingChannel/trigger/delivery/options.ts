import { UserError, type INode, type INodeProperties } from 'n8n-workflow';

import type { ErrorTexts } from '../../api/errors';
import { isEntered } from '../../api/values';
import { ENGINE_ADVICE } from '../../n8n/engine';
import { convertValue } from '../../operation/convertValue';
import { InvalidInput } from '../../operation/input';
import { DEFAULT_TIMEOUT_SECONDS, MAX_TIMEOUT_SECONDS } from '../../webhook/registeredWebhook';
import { chatKeyOf } from '../combining/chatItem';
import type { BusyLimits, ChatLimits } from '../combining/combiner';
import type { ServiceEvent } from './event';
import type { Trigger, TriggerParameters } from './trigger';

/** Whether a trigger asks the service for messages instead of having them delivered. */
export function isPolling({ parameters }: Pick<INode, 'parameters'>): boolean {
	return parameters.listen === 'poll';
}

/** For options that need the webhook. */
export const ONLY_WEBHOOK: INodeProperties['displayOptions'] = { hide: { '/listen': ['poll'] } };

export const timeoutSeconds: INodeProperties = {
	displayName: 'Timeout (Seconds)',
	name: 'timeoutSeconds',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: MAX_TIMEOUT_SECONDS, numberPrecision: 0 },
	default: DEFAULT_TIMEOUT_SECONDS,
	placeholder: 'e.g. 30',
	description: 'How long the service waits for n8n to accept an event before it sends the event again',
	displayOptions: ONLY_WEBHOOK,
};

/**
 * A number of the trigger, or its default if it is unset or its expression gives nothing.
 *
 * @param path where the node has it, if it is not an option
 * @throws UserError if it is none, or outside the limits of the field; n8n shows only the message, so it contains the advice
 */
export function numberOf(
	parameters: TriggerParameters,
	field: INodeProperties,
	path = `options.${field.name}`,
): number {
	const entered = parameters.getNodeParameter(path, field.default);
	try {
		return convertValue(field, isEntered(entered) ? entered : field.default, 'UTC') as number;
	} catch (error) {
		throw forUser(error as Error, field);
	}
}

function forUser(error: Error, { displayName }: INodeProperties): Error {
	return error instanceof InvalidInput
		? new UserError(`${error.in(displayName).message}. ${error.description}`)
		: error;
}

export const maxEvents: INodeProperties = {
	displayName: 'Max Events',
	name: 'maxEvents',
	type: 'number',
	displayOptions: { ...ONLY_WEBHOOK, show: { combineEvents: ['whenBusy'] } },
	// While they wait, n8n keeps all of them in memory.
	typeOptions: { minValue: 1, maxValue: 100, numberPrecision: 0 },
	default: 100,
	placeholder: 'e.g. 100',
	description: 'How many events one execution takes at most',
};

export const silence: INodeProperties = {
	displayName: 'Silence (Seconds)',
	name: 'silence',
	type: 'number',
	displayOptions: { ...ONLY_WEBHOOK, show: { combineEvents: ['perChat'] } },
	typeOptions: { minValue: 0.1, maxValue: 10, numberPrecision: 1 },
	default: 3,
	placeholder: 'e.g. 3',
	description: 'How long nobody must write in a chat before its messages start an execution',
};

/** n8n stores an execution in milliseconds, unless it is busy. */
const MAX_WAIT_MS = 5_000;

/** What n8n takes to store an execution, and a workflow that shares its webhook to forward an event. */
const FORWARDING_MS = 1_000;

/** What the trigger's parameters say about events that arrive together. */
export type CombineEvents =
	{ mode: 'never' } | ({ mode: 'whenBusy' } & BusyLimits) | ({ mode: 'perChat' } & ChatLimits);

/** Whether the messages of a chat are one item. */
export function isPerChat(parameters: TriggerParameters): boolean {
	return parameters.getNodeParameter('options.combineEvents', 'never') === 'perChat';
}

/**
 * How the events of a trigger are combined. An expression can give a silence that is longer than its chat may wait.
 *
 * @throws UserError if an option is invalid; n8n shows only the message, so it contains the advice
 */
export function combineEventsOf(parameters: TriggerParameters): CombineEvents {
	const mode = parameters.getNodeParameter('options.combineEvents', 'never') as CombineEvents['mode'];
	if (mode !== 'perChat' && mode !== 'whenBusy') return { mode: 'never' };
	// The service redelivers what gets no response in time, so half of that time is left for n8n.
	const halfMs = (numberOf(parameters, timeoutSeconds) * 1000) / 2;
	if (mode === 'whenBusy')
		return { mode, maxEvents: numberOf(parameters, maxEvents), maxWaitMs: Math.min(MAX_WAIT_MS, halfMs) };
	return {
		mode,
		silenceMs: numberOf(parameters, silence) * 1000,
		maxWaitMs: Math.max(0, halfMs - FORWARDING_MS),
	};
}

/**
 * Checks how the events of a trigger are combined, before anything depends on it.
 *
 * @throws UserError as `combineEventsOf`, or if the service does not wait for as long as a chat is to be silent
 */
export function requireValidCombination(parameters: TriggerParameters): void {
	const combined = combineEventsOf(parameters);
	if (combined.mode !== 'perChat' || combined.silenceMs <= combined.maxWaitMs) return;
	throw new UserError(
		`'Silence (Seconds)' is too large: ${combined.silenceMs / 1000}. It can be at most ${combined.maxWaitMs / 1000} seconds: one second less than half of 'Timeout (Seconds)'. Enter another number, or raise 'Timeout (Seconds)'.`,
	);
}

/** The chat whose silence an event waits for; undefined for an event that goes at once. */
export function chatOf({ id, type, body }: ServiceEvent): string | undefined {
	return type === 'message.received' ? (chatKeyOf(body) ?? `event ${id}`) : undefined;
}

/** Why the trigger cannot receive events: undefined if it can. */
export function receivingProblem({
	isSetToEngine2,
}: Pick<Trigger, 'isSetToEngine2'>): ErrorTexts | undefined {
	if (!isSetToEngine2) return undefined;
	return {
		message:
			"The workflow is set to n8n's Engine 2.0, which leaves out what this trigger does with an event: it would drop no duplicates, take no answers and download no media",
		// n8n leaves a published trigger alone of which only the settings change, so it would not begin to poll.
		description: `${ENGINE_ADVICE}, unpublish the workflow if it is published, and publish it.`,
	};
}
