import type { INode } from 'n8n-workflow';

import { optionOf, type TriggerParameters } from '../delivery/options';

/** The defaults of the panel. */
export const DEFAULT_POLL_INTERVAL_SECONDS = 15;
export const DEFAULT_CATCH_UP_MINUTES = 60;

/** A shorter interval would use up the rate limit. */
export const MIN_POLL_INTERVAL_SECONDS = 5;

/** Whether a trigger asks the service for messages instead of having them delivered. */
export function isPolling({ parameters }: Pick<INode, 'parameters'>): boolean {
	return parameters.listen === 'poll';
}

/** How much time passes between two requests for new messages, in milliseconds. */
export function pollIntervalMsOf(context: TriggerParameters): number {
	return (context.getNodeParameter('pollInterval', DEFAULT_POLL_INTERVAL_SECONDS) as number) * 1000;
}

/** Whether it is recorded which messages of a trigger ran, so that missed ones can be found. */
export function recordsRuns(context: TriggerParameters & { getNode(): INode }): boolean {
	return isPolling(context.getNode()) || catchUpMinutesOf(context) > 0;
}

/** How far back missed messages are looked for, in minutes. An expression that gives no number turns it off. */
export function catchUpMinutesOf(context: TriggerParameters): number {
	return Number(optionOf(context, 'catchUp', DEFAULT_CATCH_UP_MINUTES)) || 0;
}
