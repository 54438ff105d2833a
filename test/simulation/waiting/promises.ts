import type * as histories from '../chance/histories';
import { endless, leaks } from '../judges';
import type { TakenRequest } from '../service/service';
import { linkedIn, linksIn, type Visit, type WaitingOutcome } from './waiting';
import { SIGNING_KEY, type ExecutionData } from './database';

type Judge = histories.Judge<WaitingOutcome>;

/** What the workflow is to get for a visit; undefined when the visit is no valid answer. */
function answerOf({ method, fields, link, question: asked }: Visit): Record<string, unknown> | undefined {
	if (method !== 'POST') return undefined;
	if (asked.responseType === 'approval') return { approved: link.approved };
	const { 'field-0': name } = fields;
	return name === undefined ? undefined : { text: name };
}

export const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** The answer that a continuation carries, without its time; undefined when it carries none. */
export function answerIn(items: Array<Record<string, unknown>>): Record<string, unknown> | undefined {
	const { respondedAt, ...answer } = (items[0]?.data ?? {}) as Record<string, unknown>;
	return respondedAt === undefined ? undefined : answer;
}

const hasTimedOut = (items: Array<Record<string, unknown>>) =>
	(items[0]?.data as Record<string, unknown> | undefined)?.timedOut === true;

const asksOnce: Judge = ({ taken }) =>
	taken
		.filter(({ text }, index) => taken.findIndex((other) => other.text === text) < index)
		.map(({ text }) => `asked twice: ${text}`);

const goesOnOnce: Judge = ({ continuations }) =>
	continuations
		.filter(
			({ executionId, pass }, index) =>
				continuations.findIndex((other) => other.executionId === executionId && other.pass === pass) < index,
		)
		.map(({ executionId, pass }) => `execution ${executionId} went on twice from question ${pass}`);

const usesOnlyAnswers: Judge = ({ continuations, executions, waits, visits }) =>
	continuations.flatMap(({ executionId, pass, items, at }) => {
		const answer = answerIn(items);
		const execution = executions.find(({ id }) => id === executionId);
		// A retry goes on with the answer that its origin got.
		const ids = executions.filter(({ origin }) => origin === execution?.origin).map(({ id }) => id);
		const isGiven = visits.some(
			(visit) =>
				ids.includes(visit.link.executionId) &&
				visit.link.pass === pass &&
				isSame(answerOf(visit), answer) &&
				(visit.arrivedAt ?? Infinity) <= at &&
				waits.some(
					(wait) =>
						wait.executionId === visit.link.executionId &&
						wait.pass === pass &&
						(visit.arrivedAt as number) < wait.until,
				),
		);
		if (answer && !isGiven)
			return [`execution ${executionId} went on with an answer that nobody gave in time`];
		const isFailure = items.some(({ error }) => error !== undefined);
		return answer || isFailure || hasTimedOut(items)
			? []
			: [`execution ${executionId} went on with ${JSON.stringify(items)}`];
	});

const usesWhatItThanksFor: Judge = ({ visits, continuations, executions }) =>
	visits.flatMap((visit) => {
		const { link, page } = visit;
		if (!page?.body.includes('Thank you')) return [];
		const answer = answerOf(visit);
		const used = continuations.find(
			({ executionId, pass }) => executionId === link.executionId && pass === link.pass,
		);
		if (used && isSame(answerIn(used.items), answer)) return [];
		const execution = executions.find(({ id }) => id === link.executionId);
		// n8n was killed, or the user stopped it, before the next node.
		if (!used && execution?.status === 'canceled') return [];
		if (
			!used &&
			execution?.status === 'crashed' &&
			execution.data.includes(JSON.stringify(answer).slice(0, -1))
		)
			return [];
		return [`thanked for an answer to question ${link.pass} of ${link.executionId} that was not used`];
	});

const thanksOnce: Judge = ({ visits }) => {
	const thanked = visits
		.filter(({ page }) => page?.body.includes('Thank you'))
		.map(({ link }) => `${link.executionId} ${link.pass}`);
	return thanked
		.filter((place, index) => thanked.indexOf(place) < index)
		.map((place) => `two were thanked for ${place}`);
};

const isOpenUntilAnswered: Judge = ({ visits, waits, continuations, executions }) =>
	visits.flatMap(({ link, page, shownAt = 0 }) => {
		if (!page?.body.includes('is closed')) return [];
		const isOver = waits.some(
			({ executionId, pass, until }) =>
				executionId === link.executionId && pass === link.pass && until <= shownAt,
		);
		const hasGoneOn = continuations.some(
			({ executionId, pass, at }) => executionId === link.executionId && pass >= link.pass && at <= shownAt,
		);
		const status = executions.find(({ id }) => id === link.executionId)?.status;
		return isOver || hasGoneOn || status === 'canceled' || status === 'crashed'
			? []
			: [`question ${link.pass} of ${link.executionId} was called closed, and is open`];
	});

/** The message that asked a question; undefined when none was sent. */
function askedBy(taken: TakenRequest[], executionId: string, pass: number): TakenRequest | undefined {
	return taken.find((message) =>
		linksIn(message).some((link) => {
			const linked = linkedIn(new URL(link));
			return linked.executionId === executionId && linked.pass === pass;
		}),
	);
}

const waitsForWhatItAsked: Judge = ({ waits, taken, executions }) =>
	waits.flatMap(({ executionId, pass, storedAt, until }) => {
		const message = askedBy(taken, executionId, pass);
		if (!message) return [`execution ${executionId} waits for question ${pass}, which was not sent`];
		const asked = executions.find(({ id }) => id === executionId)?.workflow.questions[pass];
		const limitMs = (asked?.limitMinutes ?? NaN) * 60_000;
		const isRight = Number.isNaN(limitMs)
			? until === NEVER
			: until >= message.takenAt + limitMs && until <= storedAt + limitMs;
		return isRight ? [] : [`execution ${executionId} waits for question ${pass} until ${until}`];
	});

const reportsTruly: Judge = ({ executions, continuations, taken }) => {
	const failures = [
		...executions
			.filter(({ status }) => status === 'error')
			.map(({ id, data }) => ({ id, ...(JSON.parse(data) as ExecutionData) }))
			.map(({ id, pass, error }) => ({
				id,
				pass,
				isUncertain: error?.message.includes('may have been sent'),
			})),
		...continuations
			.filter(({ items }) => items[0]?.error !== undefined)
			.map(({ executionId: id, pass, items }) => ({ id, pass, isUncertain: items[0]?.ambiguous === true })),
	];
	return failures
		.filter(({ id, pass, isUncertain }) => !isUncertain && askedBy(taken, id, pass))
		.map(({ id, pass }) => `question ${pass} of ${id} was sent, but is reported as not`);
};

const SLACK_MS = 2_000;

const endsInTime: Judge = ({ executions, continuations, waits, boots }) => [
	...endless(executions),
	...executions
		.filter(({ status, waitTill }) => status === 'waiting' && waitTill !== NEVER)
		.map(({ id }) => `execution ${id} waits for ever`),
	...continuations.flatMap(({ executionId, pass, items, at }) => {
		if (!hasTimedOut(items)) return [];
		const execution = executions.find(({ id }) => id === executionId);
		const wait = waits.find((one) => one.executionId === executionId && one.pass === pass);
		// n8n goes on after the question when a stopped wait is retried.
		if (!wait && execution?.retryOf !== undefined) return [];
		if (!wait) return [`question ${pass} of ${executionId} timed out, and was not waited for`];
		if (at < wait.until) return [`question ${pass} of ${executionId} timed out ${wait.until - at} ms early`];
		const lastBoot = Math.max(...boots.filter((bootedAt) => bootedAt <= at));
		const latest = Math.max(wait.until, wait.storedAt, lastBoot) + 60_000 + SLACK_MS;
		return at > latest ? [`question ${pass} of ${executionId} timed out ${at - latest} ms late`] : [];
	}),
];

export const NEVER = Date.UTC(3000, 0, 1);

const tellsNoSecret: Judge = ({ executions, visits, log }) =>
	leaks([...log, ...executions, ...visits.map(({ page }) => page?.body ?? '')], SIGNING_KEY);

/** The promises about the waits themselves, whoever answers them. */
export const WAITS_JUDGES: readonly Judge[] = [
	asksOnce,
	goesOnOnce,
	waitsForWhatItAsked,
	reportsTruly,
	endsInTime,
	tellsNoSecret,
];

/** Those of docs/send-and-wait.md. */
export const WAITING_JUDGES: readonly Judge[] = [
	...WAITS_JUDGES,
	usesOnlyAnswers,
	usesWhatItThanksFor,
	thanksOnce,
	isOpenUntilAnswered,
];
