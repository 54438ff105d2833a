import type * as histories from '../chance/histories';
import type { RequestEvent, Sender } from '../service/http';
import type { SendingOutcome } from './sending';
import type { StoredExecution } from './executions';

export type MadeRequest = RequestEvent['request'];

export type Judge = histories.Judge<SendingOutcome>;

/** The requests of an execution. */
export const requestsOf = (requestLog: readonly RequestEvent[], { id }: StoredExecution) =>
	requestLog.filter(({ request }) => request.from.execution === id);

/** By process. */
export function logsOf({ requestLog }: SendingOutcome): Map<string, RequestEvent[]> {
	const logs = new Map<string, RequestEvent[]>();
	for (const one of requestLog) {
		const { process } = one.request.from;
		const log = logs.get(process) ?? [];
		logs.set(process, log);
		log.push(one);
	}
	return logs;
}

/**
 * "The node compares resets with the service's own clock, which it reads from the header `Date`." Without it, or when that
 * clock jumps, nobody knows when a window ends.
 */
export function isClockKnown({
	history: { steps, hasDate, clockOffsetMs, deployment },
}: SendingOutcome): boolean {
	const isKnown = hasDate || (clockOffsetMs === 0 && deployment.clockStepMs === 0);
	return isKnown && !steps.some((step) => step.do === 'clock');
}

/** What n8n starts anew, and repeats itself, is more than one run of the node. */
export const isOneRun = ({ settings }: StoredExecution) => !settings.isTool && settings.tries === 1;

export const retryAfterMsOf = ({ headers }: Sender) => Number(headers?.['retry-after'] ?? 0) * 1000;
