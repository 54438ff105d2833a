import type { RequestEvent, Sender } from '../service/http';
import {
	isClockKnown,
	isOneRun,
	logsOf,
	requestsOf,
	retryAfterMsOf,
	type Judge,
	type MadeRequest,
} from './requests';

/** "each wait can be up to a second too long" */
const WAIT_TOLERANCE_MS = 2_000;

/** How many requests a process makes before it knows the window. */
const FIRST_REQUESTS = 10;

/** "Before the first response, a process sends 10 requests, and then one more each second." */
const beginsSlowly: Judge = (outcome) =>
	[...logsOf(outcome)].flatMap(([process, log]) => {
		const first = log.findIndex(({ event }) => event === 'ended');
		const sent = first < 0 ? log : log.slice(0, first);
		return sent
			.filter(({ at }, index) => index + 1 > FIRST_REQUESTS + (at - (sent[0]?.at ?? 0)) / 1000 + 1)
			.map(
				({ at }) =>
					`${process} sent more than ${FIRST_REQUESTS} requests before the first response, at ${at}`,
			);
	});

/** A time in which a process knows that no request is left, until the reset. In Unix milliseconds by the scheduler. */
interface Closed {
	from: number;
	until: number;
}

/** What a response says about the window. */
function windowIn({ status, headers }: Sender, clockOffsetMs: number) {
	const reset = headers?.['x-ratelimit-reset'];
	if (reset === undefined) return undefined;
	return {
		// "After a 429, everything pauses until the reset."
		remaining: status === 429 ? 0 : Number(headers?.['x-ratelimit-remaining']),
		resetAt: Number(reset) * 1000 - clockOffsetMs,
	};
}

/**
 * Calls back for each request that a process sends, and for each time in which none is left.
 *
 * @param onSent gets the time in which no request may be sent, if it is such a time
 * @param onClosed gets the time in which none is left, and when the process heard otherwise
 */
function followWindow(
	log: readonly RequestEvent[],
	clockOffsetMs: number,
	onSent: (request: MadeRequest, closed?: Closed) => void,
	onClosed: (closed: Closed, endedAt: number) => void = () => {},
): void {
	let closed: Closed | undefined;
	let paused: Closed | undefined;
	const change = (at: number, next?: Closed): void => {
		if (closed && next?.until === closed.until) return;
		if (closed) onClosed(closed, Math.min(closed.until, at));
		closed = next;
	};
	for (const { event, at, request } of log) {
		if (event === 'sent') {
			onSent(
				request,
				[paused, closed].find((one) => one && at < one.until),
			);
			continue;
		}
		const { from } = request;
		const heard = windowIn(from, clockOffsetMs);
		if (heard && heard.resetAt > at) {
			// Any other report may be about a later window.
			if (heard.remaining > 0 && heard.resetAt === closed?.until) continue;
			change(at, heard.remaining > 0 ? undefined : { from: at, until: heard.resetAt });
		} else if (from.status === 429) {
			// "If the service does not report the reset, everything pauses for the time in `Retry-After`."
			paused = { from: at, until: Math.max(paused?.until ?? 0, at + retryAfterMsOf(from)) };
		}
	}
	change(Infinity);
}

/** "When none is left, requests wait for the reset." And: "After a 429, everything pauses." */
const waitsForReset: Judge = (outcome) => {
	const { executions, history } = outcome;
	if (!isClockKnown(outcome)) return [];
	// Requests that may wait no longer may be sent to find out.
	const patientUntil = new Map(
		executions
			.filter(({ settings }) => settings.maxRateLimitWait === 300)
			.map(({ id, takenAt = NaN }) => [id, takenAt + 300_000]),
	);
	const broken: string[] = [];
	for (const [process, log] of logsOf(outcome)) {
		followWindow(log, history.clockOffsetMs, ({ from }, closed) => {
			if (closed && from.sentAt < (patientUntil.get(from.execution) ?? 0))
				broken.push(
					`${process} sent a request at ${from.sentAt}, although none is left until ${closed.until}`,
				);
		});
	}
	return broken;
};

/** Far more than the requests of a history in one window. */
const AMPLE_LIMIT = 100;

/** Only "when none is left, requests wait for the reset". */
const startsAtOnce: Judge = (outcome) => {
	const { executions, history, requestLog } = outcome;
	const { rateLimit, deployment, steps } = history;
	// After a restart, and with two workers, what others have used is not known.
	const isAlone = deployment.workers === 1 && rateLimit === AMPLE_LIMIT;
	if (!isAlone || !isClockKnown(outcome) || steps.some((step) => step.do === 'limit')) return [];
	const process = 'n8n (1)';
	const own = executions.filter((execution) => execution.process === process);
	const log = requestLog.filter(({ request }) => request.from.process === process);
	return own.filter(isOneRun).flatMap((execution) => {
		const { id, mode, takenAt = NaN } = execution;
		const others = own.filter((other) => other !== execution);
		const isBusy = others.some(
			(other) => Number(other.takenAt) <= takenAt && (other.endedAt ?? Infinity) >= takenAt,
		);
		if (mode === 'retry' || isBusy) return [];
		const heard = log.filter(({ event, at }) => event === 'ended' && at < takenAt && at >= takenAt - 60_000);
		const isOpen = heard.every(({ request: { from } }) => {
			const { remaining = AMPLE_LIMIT } = windowIn(from, 0) ?? {};
			return from.status !== 429 && remaining > AMPLE_LIMIT / 2;
		});
		const first = log.find(({ request }) => request.from.execution === id);
		return isOpen && first && first.at > takenAt
			? [`execution ${id} waited ${first.at - takenAt} ms, although requests are left`]
			: [];
	});
};

/** "When the node learns that the limit resets later than that, the item fails at once … wherever it is in the queue." */
const failsAtOnce: Judge = (outcome) => {
	const { executions, history, requestLog } = outcome;
	if (!isClockKnown(outcome)) return [];
	const judged = executions.filter(
		(execution) =>
			isOneRun(execution) && execution.mode === 'trigger' && execution.settings.maxRateLimitWait < 300,
	);
	if (judged.length === 0) return [];
	const broken: string[] = [];
	for (const [process, log] of logsOf(outcome)) {
		const own = judged.filter((execution) => execution.process === process);
		if (own.length === 0) continue;
		const judge = ({ from, until: resetAt }: Closed, closedUntil: number): void => {
			for (const execution of own) {
				const { id, takenAt = NaN, endedAt = Infinity, settings } = execution;
				const knownAt = Math.max(from, takenAt);
				const isTooLate = resetAt > takenAt + settings.maxRateLimitWait * 1000 + WAIT_TOLERANCE_MS;
				if (!isTooLate || knownAt + WAIT_TOLERANCE_MS > closedUntil) continue;
				const first = requestsOf(requestLog, execution)[0]?.at ?? Infinity;
				if (Math.min(first, endedAt) > knownAt + WAIT_TOLERANCE_MS)
					broken.push(
						`execution ${id} went on waiting at ${knownAt}, although the limit resets at ${resetAt}`,
					);
			}
		};
		followWindow(log, history.clockOffsetMs, () => {}, judge);
	}
	return broken;
};

/** "If the last response is more than 10 seconds old, one such item first sends its request to find out." */
const PROBE_INTERVAL_MS = 10_000;

/** "After a 429, everything pauses until the reset." */
const doesNotFlood: Judge = (outcome) => {
	const { service } = outcome;
	if (!isClockKnown(outcome)) return [];
	const broken: string[] = [];
	const windows = new Map<string, { heardAt: number; refused: number; after: number }>();
	for (const { from, isRefused, windowEnds } of service.counted) {
		if (!from) continue;
		const key = `${from.process} until ${windowEnds}`;
		const window = windows.get(key) ?? { heardAt: Infinity, refused: 0, after: 0 };
		windows.set(key, window);
		if (from.sentAt > window.heardAt) window.after++;
		if (!isRefused) continue;
		window.refused++;
		// A fault may hide the 429.
		if (from.status === 429) window.heardAt = Math.min(window.heardAt, from.endedAt ?? Infinity);
	}
	for (const [key, { heardAt, refused, after }] of windows) {
		const probes = 60_000 / PROBE_INTERVAL_MS;
		if (after > probes) broken.push(`${key}: ${after} requests followed a 429 at ${heardAt}`);
		if (refused > FIRST_REQUESTS + probes) broken.push(`${key}: ${refused} requests were refused`);
	}
	return broken;
};

/** Judges whether processes keep to the rate limit, by docs/sending.md. */
export const RATE_LIMIT_JUDGES: readonly Judge[] = [
	beginsSlowly,
	waitsForReset,
	startsAtOnce,
	failsAtOnce,
	doesNotFlood,
];
