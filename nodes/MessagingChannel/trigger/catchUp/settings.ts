import type { INodeProperties } from 'n8n-workflow';

import { isPolling, numberOf } from '../delivery/options';
import type { TriggerNode, TriggerParameters } from '../delivery/trigger';

export const pollInterval: INodeProperties = {
	displayName: 'Poll Interval (Seconds)',
	name: 'pollInterval',
	type: 'number',
	// A shorter interval would use up the rate limit, and a longer one is a mistake, for example one in milliseconds.
	typeOptions: { minValue: 5, maxValue: 86_400, numberPrecision: 0 },
	default: 15,
	placeholder: 'e.g. 15',
	description:
		'How much time passes between two requests for new messages. Each uses some of the rate limit of the account. If that is small, n8n looks less often, and its log says so.',
	displayOptions: { show: { listen: ['poll'] } },
};

export const catchUp: INodeProperties = {
	displayName: 'Catch Up (Minutes)',
	name: 'catchUp',
	type: 'number',
	// Up to 30 days. More is a mistake, for example a number of seconds.
	typeOptions: { minValue: 0, maxValue: 43_200, numberPrecision: 0 },
	// A night, and the morning after it.
	default: 720,
	placeholder: 'e.g. 720',
	description:
		'How far back to look for received messages that did not run, because n8n was not running or was ended meanwhile. 0 turns it off.',
};

/** How much time passes between two requests for new messages, in milliseconds. */
export function pollIntervalMsOf(parameters: TriggerParameters): number {
	return numberOf(parameters, pollInterval, pollInterval.name) * 1000;
}

/** Whether it is recorded which messages of a trigger ran, so that missed ones can be found. */
export function recordsRuns({ node, parameters }: Pick<TriggerNode, 'node' | 'parameters'>): boolean {
	return isPolling(node) || catchUpMinutesOf(parameters) > 0;
}

/** How far back missed messages are looked for, in minutes. */
export function catchUpMinutesOf(parameters: TriggerParameters): number {
	return numberOf(parameters, catchUp);
}
