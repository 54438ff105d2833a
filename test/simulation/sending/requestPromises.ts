import type { RequestEvent, Sender } from '../service/http';
import { RATE_LIMIT_JUDGES } from './rateLimitPromises';
import { takenAs, type StoredExecution, type WantedSend } from './executions';
import {
	isClockKnown,
	isOneRun,
	logsOf,
	requestsOf,
	retryAfterMsOf,
	type Judge,
	type MadeRequest,
} from './requests';
import { askedIn, chatIdOf } from '../service/service';

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

/** "With _Find Message ID_, the node looks into the chats after the run, even a failed one": those of these items. */
const looksForIds = (sent: readonly WantedSend[], { path, query }: MadeRequest) =>
	sent.some(({ to }) =>
		path === '/chats/resolve'
			? chatIdOf(query.phone) === chatIdOf(to)
			: path === `/chats/${encodeURIComponent(chatIdOf(to))}/messages`,
	);

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
		const isSearched = settings.kind === 'text' && settings.findMessageId === true;
		const searched = isSearched ? (execution.runs[failed.run]?.slice(0, failed.itemIndex) ?? []) : [];
		const later = requests
			.slice(end + 1)
			.find(({ event, request }) => event === 'sent' && !looksForIds(searched, request));
		return end >= 0 && later
			? [`execution ${id} made a request after item ${failed.run}.${failed.itemIndex} had failed`]
			: [];
	});

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
		// The next try of the node asks anew.
		.filter(({ settings }) => !settings.isTool && settings.tries === 1)
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

/** No wait for a limit, a retry or a check of a chat is longer, unless the node does not know the service's clock. */
const LONGEST_IDLE_MS = 120_000;

/**
 * "The requests behind it move up." A process that runs an execution does not stand idle for longer than until the reset,
 * which is a minute away at the most.
 */
const isNeverIdle: Judge = (outcome) => {
	// With a slow database, checking what was sent before can take minutes.
	if (!isClockKnown(outcome) || outcome.history.deployment.isDatabaseSlow) return [];
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

/** Judges how processes made their requests. */
export const REQUEST_JUDGES: readonly Judge[] = [
	keepsConcurrency,
	stopsAtFailure,
	pausesBetweenAttempts,
	heedsRetryAfter,
	...RATE_LIMIT_JUDGES,
	isNeverIdle,
];
