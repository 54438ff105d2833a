import { UserError, type INodeProperties } from 'n8n-workflow';

import { isEntered } from '../../api/values';
import { convertValue } from '../../operation/convertValue';
import { InvalidInput } from '../../operation/input';
import { DEFAULT_TIMEOUT_SECONDS, MAX_TIMEOUT_SECONDS } from '../../webhook/registeredWebhook';

/** A context that knows the parameters of the trigger. */
export interface TriggerParameters {
	getNodeParameter(name: string, fallback: unknown): unknown;
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

/** An option of the trigger, or the fallback if it is unset or its expression gives nothing. */
export function optionOf<T>(context: TriggerParameters, name: string, fallback: T): T {
	const value = context.getNodeParameter(`options.${name}`, fallback);
	return isEntered(value) ? (value as T) : fallback;
}

/**
 * A number of the trigger, or its default if it is unset or its expression gives nothing.
 *
 * @param path where the node has it, if it is not an option
 * @throws UserError if it is none, or outside the limits of the field; n8n shows only the message, so it contains the advice
 */
export function numberOf(
	context: TriggerParameters,
	field: INodeProperties,
	path = `options.${field.name}`,
): number {
	const entered = context.getNodeParameter(path, field.default);
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

/** How long the service is to wait for a response. */
export function timeoutSecondsOf(context: TriggerParameters): number {
	return numberOf(context, timeoutSeconds);
}
