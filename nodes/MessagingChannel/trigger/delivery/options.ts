import { isEntered } from '../../api/values';
import { DEFAULT_TIMEOUT_SECONDS } from '../../webhook/registeredWebhook';

/** A context that knows the parameters of the trigger. */
export interface TriggerParameters {
	getNodeParameter(name: string, fallback: unknown): unknown;
}

/** An option of the trigger, or the fallback if it is unset or its expression gives nothing. */
export function optionOf<T>(context: TriggerParameters, name: string, fallback: T): T {
	const value = context.getNodeParameter(`options.${name}`, fallback);
	return isEntered(value) ? (value as T) : fallback;
}

/** How long the service is to wait for a response. */
export function timeoutSecondsOf(context: TriggerParameters): number {
	return Number(optionOf(context, 'timeoutSeconds', 0)) || DEFAULT_TIMEOUT_SECONDS;
}
