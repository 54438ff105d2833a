import type { AnswersOutcome, WrittenMessage } from './answers';
import { KEYWORD } from './history';
import {
	hasTextsAround,
	isOf,
	namesAnother,
	openTimeOf,
	readingOf,
	SECOND_MS,
	shownAt,
	textsBetween,
} from './readings';
import type { EventExecution } from '../n8n/triggerDatabase';
import type * as histories from '../chance/histories';
import { endless } from '../judges';
import { RECORDED_MS } from '../receiving/promises';
import { answerIn, isSame, NEVER, WAITS_JUDGES } from '../waiting/promises';
import type { Resumption } from '../waiting/database';

type Judge = histories.Judge<AnswersOutcome>;

/** The message that a resumption handed over; undefined if it was a page. */
function messageIdIn({ request }: Resumption): string | undefined {
	return request.reply && (JSON.parse(request.reply.body.toString()) as { messageId: string }).messageId;
}

/** Nothing answers a question but an answer to it. */
const usesOnlyAnswers: Judge = (outcome) => {
	const { resumptions, messages, questions, waits, forged } = outcome;
	return resumptions.flatMap((resumption) => {
		const { executionId, pass, request, arrivedAt, at } = resumption;
		const name = `question ${pass} of ${executionId}`;
		const asked = questions.find(isOf(resumption));
		if (!asked) return [`${name} was answered, and was never asked`];
		if (forged.includes(request)) return [`${name} was answered by a forged request`];
		const wait = waits.find(isOf(resumption));
		if (!wait || arrivedAt >= wait.until) return [`${name} was answered after its time`];
		if (!request.reply) {
			return asked.question.responders?.length ? [`${name} was answered on its page`] : [];
		}
		const message = messages.find(({ messageId }) => messageId === messageIdIn(resumption));
		if (!message) return [`${name} was answered by a message that nobody wrote`];
		const reading = readingOf(message, asked);
		if (!reading || message.chatId !== asked.chat)
			return [`${name} was answered by ${message.messageId}: ${message.text}`];
		if (reading.hasCode) return [];
		if (namesAnother(message, asked, outcome))
			return [`${name} was answered by ${message.messageId}, which names another question`];
		const isLater = textsBetween(asked, message, outcome).length > 0;
		if (asked.question.responseType === 'freeText' && isLater)
			return [`${name} was answered by ${message.messageId}, which is not the first text`];
		const others = questions.filter((other) => {
			const open = openTimeOf(other, outcome);
			return (
				other !== asked &&
				other.chat === asked.chat &&
				open !== undefined &&
				open.from < message.receivedAt &&
				open.until > at &&
				shownAt(other, outcome) + SECOND_MS < message.receivedAt &&
				readingOf(message, other) !== undefined &&
				(other.question.responseType === 'approval' || !hasTextsAround(other, message, outcome))
			);
		});
		return others.length > 0
			? [`${name} was answered by ${message.messageId}, which could answer ${others[0]?.executionId}, too`]
			: [];
	});
};

/** The workflow goes on with what was answered, and says who did. */
const outputsTheAnswer: Judge = ({ continuations, executions, resumptions, questions, messages }) =>
	continuations.flatMap(({ executionId, pass, items, at }) => {
		const answer = answerIn(items);
		if (!answer) return [];
		const origin = executions.find(({ id }) => id === executionId)?.origin;
		// A retry goes on with the answer that its origin got.
		const ids = executions.filter((execution) => execution.origin === origin).map(({ id }) => id);
		const isRight = resumptions.some((resumption) => {
			if (!ids.includes(resumption.executionId) || resumption.pass !== pass || resumption.at > at)
				return false;
			const asked = questions.find(isOf(resumption));
			const message = messages.find(({ messageId }) => messageId === messageIdIn(resumption));
			if (!message) return resumption.request.reply === undefined && answer.respondedBy === undefined;
			const expected = asked && readingOf(message, asked)?.values;
			return isSame(answer, { ...expected, respondedBy: message.from });
		});
		return isRight ? [] : [`execution ${executionId} went on with ${JSON.stringify(answer)}`];
	});

const answersOneQuestion: Judge = ({ resumptions }) => {
	const ids = resumptions.flatMap((resumption) => messageIdIn(resumption) ?? []);
	return ids
		.filter((id, index) => ids.indexOf(id) < index)
		.map((id) => `${id} answered two questions, or one twice`);
};

const runsOf = ({ messageId }: Pick<WrittenMessage, 'messageId'>, { runs }: AnswersOutcome) =>
	runs.filter((run) => run.messageId === messageId);

/** "An answer is taken by its question, or it starts the workflow: never both." */
const startsNothingWithAnswers: Judge = (outcome) =>
	outcome.resumptions.flatMap((resumption) => {
		const messageId = messageIdIn(resumption);
		if (messageId === undefined) return [];
		return runsOf({ messageId }, outcome)
			.filter((run) => run.hasItems && !wasCutOff(run, outcome.deaths))
			.map(({ id }) => `${messageId} answered execution ${resumption.executionId}, and ran in ${id}`);
	});

/** What was cut off, or began shortly before, runs again, and can be an answer then (docs/reliability.md, "No event twice"). */
const wasCutOff = ({ status, beganAt = 0 }: EventExecution, deaths: AnswersOutcome['deaths']) =>
	status === 'crashed' || deaths.some(({ at }) => at >= beganAt && at < beganAt + RECORDED_MS);

/** "And never neither." */
const losesNothing: Judge = (outcome) =>
	outcome.messages
		.filter((message) => {
			const { messageId } = message;
			if (outcome.resumptions.some((resumption) => messageIdIn(resumption) === messageId)) return false;
			const runs = runsOf(message, outcome);
			const isDropped = hasNoKeyword(message, outcome);
			if (runs.some(({ hasItems, status }) => (hasItems || isDropped) && status === 'success')) return false;
			if (mayCountAsTaken(message, outcome)) return false;
			// "Then its execution fails, and says what to do."
			if (runs.some(({ error }) => error?.includes('It is not known'))) return false;
			// A caught-up message during which n8n was ended three times does not run again.
			return runs.filter(({ status }) => status === 'crashed').length < 3;
		})
		.map(({ messageId, text }) => `${messageId} was not taken and did not run: ${text}`);

/** Whether the workflow wants a keyword that a message does not have, so that it starts nothing unless it is an answer. */
function hasNoKeyword({ text }: WrittenMessage, { trigger }: AnswersOutcome): boolean {
	return trigger.workflows.some(({ draft }) => draft.keywords) && !text.toLowerCase().includes(KEYWORD);
}

/** A request that nobody responds to ends after this time. */
const REQUEST_MS = 15_000;

/**
 * An exception: n8n is killed or its response gets lost during the handover, and the question is closed in another way
 * (docs/reliability.md, "No event lost").
 */
function mayCountAsTaken({ messageId }: WrittenMessage, outcome: AnswersOutcome): boolean {
	const { internalLog, questions, deaths, executions, waits, resumptions } = outcome;
	return internalLog.some(({ url, body, sentAt, isTroubled: isUnusual, status = 0 }) => {
		const asked = questions.find(({ link }) => link === url);
		if (!asked) return false;
		const request = JSON.parse(body.toString()) as { messageId: string; phase: string };
		if (request.messageId !== messageId) return false;
		const isCutOff = deaths.some(({ at }) => at >= sentAt && at <= sentAt + REQUEST_MS);
		const isLost = request.phase === 'take' && (isUnusual || !USUAL_STATUSES.includes(status));
		const isClosed =
			resumptions.some(isOf(asked)) ||
			waits.some((wait) => isOf(asked)(wait) && wait.until < NEVER) ||
			executions.some(({ id, status: end }) => id === asked.executionId && end === 'canceled');
		return isClosed && (isCutOff || isLost);
	});
}

/** What n8n and the pages of questions respond. */
const USUAL_STATUSES = [200, 401, 409, 410, 500];

/** When nothing unusual happens any more, an answer is taken. */
const takesAnswers: Judge = ({ resumptions, probe }) =>
	resumptions.some((resumption) => messageIdIn(resumption) === probe.messageId)
		? []
		: ['the last answer was not taken, although nothing was in its way'];

const endsRuns: Judge = ({ trigger }) => endless(trigger.executions);

const surprises: Judge = ({ trigger }) => trigger.surprises;

/** The promises of docs/send-and-wait.md, "An answer written in the chat". */
export const ANSWERS_JUDGES: readonly Judge[] = [
	surprises,
	...WAITS_JUDGES,
	usesOnlyAnswers,
	outputsTheAnswer,
	answersOneQuestion,
	startsNothingWithAnswers,
	losesNothing,
	takesAnswers,
	endsRuns,
];
