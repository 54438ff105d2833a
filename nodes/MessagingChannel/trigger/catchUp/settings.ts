import type { INode } from 'n8n-workflow';

import { isEntered } from '../../api/values';

/** The defaults of the panel. */
export const DEFAULT_POLL_INTERVAL_SECONDS = 15;
export const DEFAULT_CATCH_UP_MINUTES = 60;

/** A shorter interval would use up the rate limit. */
export const MIN_POLL_INTERVAL_SECONDS = 5;

/** Whether a trigger asks the service for messages instead of having them delivered. */
export function isPolling({ parameters }: Pick<INode, 'parameters'>): boolean {
	return parameters.listen === 'poll';
}

/**
 * Whether it is recorded which messages of a trigger ran, so that missed ones can be found.
 *
 * @param catchUpMinutes the value of the option, which an expression can give any type
 */
export function recordsRuns(node: Pick<INode, 'parameters'>, catchUpMinutes: unknown): boolean {
	return isPolling(node) || catchUpMinutesOf(catchUpMinutes) > 0;
}

/**
 * How far back missed messages are looked for, in minutes.
 *
 * @param entered the value of the option; an expression that gives nothing changes nothing, and one that gives no number turns it off
 */
export function catchUpMinutesOf(entered: unknown): number {
	return isEntered(entered) ? Number(entered) || 0 : DEFAULT_CATCH_UP_MINUTES;
}
