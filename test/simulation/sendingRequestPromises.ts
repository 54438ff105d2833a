import type { RequestEvent, Sender } from './http';
import type { SendingOutcome } from './sending';
import { takenAs, type StoredExecution } from './sendingProcess';
import { askedIn } from './service';

type MadeRequest = RequestEvent['request'];

/** What is wrong with the way in which processes made their requests, by docs/sending.md. */
export function brokenRequestPromises(outcome: SendingOutcome): string[] {
	return JUDGES.flatMap((judge) => judge(outcome));
}

/** Names the ways in which a history broke one promise. */
type Judge = (outcome: SendingOutcome) => string[];

/** The requests of an execution. */
const requestsOf = (requestLog: readonly RequestEvent[], { id }: StoredExecution) =>
	requestLog.filter(({ request }) => request.from.execution === id);

/** By process. */
function logsOf({ requestLog }: SendingOutcome): Map<string, RequestEvent[]> {
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
function isClockKnown({ history: { steps, hasDate, clockOffsetMs, deployment } }: SendingOutcome): boolean {
	const isKnown = hasDate || (clockOffsetMs === 0 && deployment.clockStepMs === 0);
	return isKnown && !steps.some((step) => step.do === 'clock');
}

/** "At most _Max Concurrency_ requests are in flight at the same time." */
const keepsConcurrency: Judge = ({ executions, requestLog }) => {
	const limits = new Map(executions.map(({ id, settings }) => [id, settings]));
	const inFlight = new Map<string, number>();
	const broken: string[] = [];
	for (const { event, request } of requestLog) {
		const { execution } = request.from;
		const { isTool = true, maxConcurrency = Infinity } = limits.get(execution) ?? {};
		if (isTool) continue;
		const now = (inFlight.get(execution) ?? 0) + (event === 'sent' ? 1 : -1);
		inFlight.set(execution, now);
		if (now > maxConcurrency) broken.push(`execution ${execution} had ${now} requests in flight`);
	}
	return broken;
};

/** The attempts to send each item that differs from all others, in their order. */
function attemptsOf(requests: readonly RequestEvent[], execution: StoredExecution): MadeRequest[][] {
	const { runs, settings } = execution;
	const keyOf = ({ to, text }: { to: string; text: string }) => JSON.stringify([to, text]);
	const keys = runs.flat().map((item) => keyOf(takenAs(settings.kind, item)));
	const attempts = new Map<string, MadeRequest[]>();
	for (const key of keys) if (keys.indexOf(key) === keys.lastIndexOf(key)) attempts.set(key, []);
	for (const { event, request } of requests) {
		const asked = event === 'sent' ? askedIn(request) : undefined;
		if (asked) attempts.get(keyOf(asked))?.push(request);
	}
	return [...attempts.values()];
}

/** What n8n starts anew, and repeats itself, is more than one run of the node. */
const isOneRun = ({ settings }: StoredExecution) => !settings.isTool && settings.tries === 1;

/** "Without _On Error → Continue_, no further item is started once one has failed." */
const stopsAtFailure: Judge = ({ executions, requestLog }) =>
	executions.flatMap((execution) => {
		const { id, settings, reports } = execution;
		const failed = reports.find(({ says }) => says === 'not sent');
		const isJudged =
			isOneRun(execution) && settings.onError === 'stopWorkflow' && settings.maxConcurrency === 1;
		if (!failed || !isJudged) return [];
		const requests = requestsOf(requestLog, execution);
		const wanted = takenAs(settings.kind, execution.runs[failed.run]?.[failed.itemIndex] as never);
		const attempts = attemptsOf(requests, execution).find(([first]) => {
			const asked = first && askedIn(first);
			return asked?.to === wanted.to && asked.text === wanted.text;
		});
		const last = attempts?.at(-1);
		const end = requests.findIndex(({ event, request }) => event === 'ended' && request === last);
		const later = requests.slice(end + 1).find(({ event }) => event === 'sent');
		return end >= 0 && later
			? [`execution ${id} made a request after item ${failed.run}.${failed.itemIndex} had failed`]
			: [];
	});

const retryAfterMsOf = ({ headers }: Sender) => Number(headers?.['retry-after'] ?? 0) * 1000;

/** "Between two attempts, the node waits 1, 2, 4, 8 … seconds, minus a random part of up to half." */
const pausesBetweenAttempts: Judge = ({ executions, requestLog }) =>
	executions.filter(isOneRun).flatMap((execution) =>
		attemptsOf(requestsOf(requestLog, execution), execution).flatMap((attempts) =>
			attempts.flatMap(({ from }, index) => {
				const next = attempts[index + 1];
				if (!next || from.status === 429) return [];
				const gap = next.from.sentAt - (from.endedAt ?? Infinity);
				return gap < 500 * 2 ** index ? [`execution ${execution.id} repeated a request after ${gap} ms`] : [];
			}),
		),
	);

/** "If the `Retry-After` of a 503 is longer, the node waits that long." */
const heedsRetryAfter: Judge = ({ executions, requestLog }) =>
	executions
		.filter(({ settings }) => !settings.isTool)
		.flatMap((execution) => {
			const broken: string[] = [];
			const asked = new Map<string, Sender>();
			for (const { event, request } of requestsOf(requestLog, execution)) {
				const { path, query, from } = request;
				// Another item may have made an identical request.
				if (event === 'ended' || !path.startsWith('/chats')) continue;
				const key = JSON.stringify([path, query]);
				const before = asked.get(key);
				asked.set(key, from);
				if (before?.status !== 503) continue;
				const gap = from.sentAt - (before.endedAt ?? Infinity);
				if (gap < retryAfterMsOf(before))
					broken.push(`execution ${execution.id} repeated a request ${gap} ms after a 503`);
			}
			return broken;
		});

/** "each wait can be up to a second too long" */
const WAIT_TOLERANCE_MS = 2_000;

/** "_Max Rate Limit Wait (Seconds)_ … covers all attempts of a request together." */
const limitsAllAttemptsTogether: Judge = ({ executions, requestLog }) =>
	executions.filter(isOneRun).flatMap((execution) => {
		const { id, settings } = execution;
		return attemptsOf(requestsOf(requestLog, execution), execution).flatMap((attempts) => {
			const waits = attempts.slice(0, -1).map(({ from }, index) => {
				const gap = Number(attempts[index + 1]?.from.sentAt) - (from.endedAt ?? Infinity);
				return from.status === 429 ? Math.min(gap, retryAfterMsOf(from)) : 0;
			});
			const waited = waits.reduce((sum, ms) => sum + ms, 0);
			return waited > settings.maxRateLimitWait * 1000 + WAIT_TOLERANCE_MS
				? [`execution ${id} waited ${waited} ms for the rate limit, in all attempts of a request`]
				: [];
		});
	});

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
	// Others may send a request to find out.
	const patient = new Set(
		executions.filter(({ settings }) => settings.maxRateLimitWait === 300).map(({ id }) => id),
	);
	const broken: string[] = [];
	for (const [process, log] of logsOf(outcome)) {
		followWindow(log, history.clockOffsetMs, ({ from }, closed) => {
			if (closed && patient.has(from.execution))
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

/** No wait for a limit, a retry or a check of a chat is longer, unless the node does not know the service's clock. */
const LONGEST_IDLE_MS = 120_000;

/**
 * "The requests behind it move up." A process that runs an execution does not stand idle for longer than until the reset,
 * which is a minute away at the most.
 */
const isNeverIdle: Judge = (outcome) => {
	if (!isClockKnown(outcome)) return [];
	const broken: string[] = [];
	for (const [process, log] of logsOf(outcome)) {
		const executions = outcome.executions.filter((execution) => execution.process === process);
		const isBusy = (from: number, until: number) =>
			executions.some(({ takenAt = NaN, endedAt = Infinity }) => takenAt <= from && endedAt >= until);
		let inFlight = 0;
		let idleSince = Infinity;
		for (const { event, at } of log) {
			if (event === 'sent' && inFlight === 0 && at - idleSince > LONGEST_IDLE_MS && isBusy(idleSince, at))
				broken.push(`${process} stood idle for ${at - idleSince} ms`);
			inFlight += event === 'sent' ? 1 : -1;
			idleSince = at;
		}
	}
	return broken;
};

/** "_Pause When Queue Above_ gives up when the queue has not become shorter for 5 minutes", and checks may take longer. */
const LONGEST_PAUSE_MS = 1_800_000;

const givesUpOnLongQueue: Judge = ({ executions, requestLog }) =>
	executions
		.filter((execution) => isOneRun(execution) && execution.runs.flat().length === 1)
		.flatMap((execution) => {
			const checks = requestsOf(requestLog, execution).filter(
				({ request }) => request.path === '/messages/queue',
			);
			const ms = (checks.at(-1)?.at ?? 0) - (checks[0]?.at ?? 0);
			return ms > LONGEST_PAUSE_MS ? [`execution ${execution.id} waited ${ms} ms for a shorter queue`] : [];
		});

/** "With _Pause When Queue Above_, sends wait while the service's queue holds more messages than that." */
const waitsForShorterQueue: Judge = ({ executions, requestLog }) =>
	executions
		.filter(
			({ settings }) => !settings.isTool && settings.pauseWhenQueueAbove > 0 && settings.maxConcurrency === 1,
		)
		.flatMap((execution) => {
			let waiting = 0;
			const broken: string[] = [];
			for (const { event, request } of requestsOf(requestLog, execution)) {
				const { body } = request.from as { body?: { data?: { waiting?: number } } };
				if (event === 'ended' && request.path === '/messages/queue') waiting = body?.data?.waiting ?? 0;
				if (event === 'sent' && askedIn(request) && waiting > execution.settings.pauseWhenQueueAbove)
					broken.push(`execution ${execution.id} sent a message while ${waiting} were waiting`);
			}
			return broken;
		});

const JUDGES: readonly Judge[] = [
	keepsConcurrency,
	stopsAtFailure,
	pausesBetweenAttempts,
	heedsRetryAfter,
	limitsAllAttemptsTogether,
	beginsSlowly,
	waitsForReset,
	startsAtOnce,
	failsAtOnce,
	doesNotFlood,
	isNeverIdle,
	waitsForShorterQueue,
	givesUpOnLongQueue,
];
