import type { AnswersOutcome, ChatQuestion, WrittenMessage } from './answers';

/** What a text answers a question with. */
interface Reading {
	hasCode: boolean;
	values: Record<string, unknown>;
}

const LABELS: Record<string, boolean> = { approve: true, decline: false };

/** Reads a text as the answer to a question, as the documentation says; undefined if it is none. */
export function readingOf(
	{ text, from }: Pick<WrittenMessage, 'text' | 'from'>,
	{ question, code }: Pick<ChatQuestion, 'question' | 'code'>,
): Reading | undefined {
	if (!mayAnswer(from, question)) return undefined;
	const words = text.trim().split(/\s+/);
	const isCode = (word = '') => word.toUpperCase().replace(/\W/g, '') === code;
	const hasCode = isCode(words[0]) || isCode(words.at(-1));
	const rest = (isCode(words[0]) ? words.slice(1) : hasCode ? words.slice(0, -1) : words).join(' ');
	if (question.responseType === 'freeText')
		return rest === '' ? undefined : { hasCode, values: { text: hasCode ? rest : text.trim() } };
	const approved = LABELS[rest.replace(/\W/g, '').toLowerCase()];
	return approved === undefined ? undefined : { hasCode, values: { approved } };
}

const mayAnswer = (from: string, { responders = [] }: ChatQuestion['question']) =>
	responders.length === 0 || responders.some((responder) => from === `${responder}@c.us`);

type Place = Pick<ChatQuestion, 'executionId' | 'pass'>;

/** Whether something is of the same pass of an execution. */
export const isOf = (one: Place) => (other: Place) =>
	other.executionId === one.executionId && other.pass === one.pass;

/** When a question appeared in its chat, and no later than when; Infinity if it never did. */
export function shownAt({ link }: ChatQuestion, { shown }: AnswersOutcome): number {
	return Math.min(Infinity, ...shown.filter(({ text }) => text.includes(link)).map(({ at }) => at));
}

/** Times in chats are whole seconds. */
export const SECOND_MS = 1_000;

/** The texts that stood in a question's chat between it and a message, and that the chat showed by then. */
export function textsBetween(
	asked: ChatQuestion,
	message: WrittenMessage,
	outcome: AnswersOutcome,
): WrittenMessage[] {
	const from = shownAt(asked, outcome) + SECOND_MS;
	return outcome.messages.filter(
		(other) =>
			other.chatId === asked.chat &&
			other.receivedAt >= from &&
			other.receivedAt < message.receivedAt - SECOND_MS &&
			other.listedAt < message.receivedAt &&
			mayAnswer(other.from, asked.question),
	);
}

/** When a question was open for certain; undefined if it never was. */
export function openTimeOf(
	asked: ChatQuestion,
	outcome: AnswersOutcome,
): { from: number; until: number } | undefined {
	const { waits, resumptions, executions } = outcome;
	const wait = waits.find(isOf(asked));
	const status = executions.find(({ id }) => id === asked.executionId)?.status;
	// When it was stopped is not known.
	if (!wait || status === 'canceled') return undefined;
	const ends = resumptions.filter(isOf(asked)).map(({ arrivedAt }) => arrivedAt);
	return { from: wait.storedAt, until: Math.min(wait.until, ...ends) };
}

/**
 * A reply that begins or ends with the code word of one question counts for that one only (docs/send-and-wait.md, "An answer written
 * in the chat").
 */
export function namesAnother(message: WrittenMessage, asked: ChatQuestion, outcome: AnswersOutcome): boolean {
	return outcome.questions.some(
		(other) =>
			!isOf(asked)(other) &&
			other.chat === asked.chat &&
			shownAt(other, outcome) + SECOND_MS < message.receivedAt &&
			readingOf({ ...message, from: ANYBODY }, { ...other, question: OPEN_TO_ALL })?.hasCode === true,
	);
}

const ANYBODY = '';
const OPEN_TO_ALL: ChatQuestion['question'] = { to: '', text: '', responseType: 'freeText' };

/** Whether another text could stand between a question and a message. */
export function hasTextsAround(
	asked: ChatQuestion,
	message: WrittenMessage,
	outcome: AnswersOutcome,
): boolean {
	return outcome.messages.some(
		(other) =>
			other !== message &&
			other.chatId === asked.chat &&
			other.receivedAt >= asked.message.takenAt - 2 * SECOND_MS &&
			other.receivedAt <= message.receivedAt + SECOND_MS,
	);
}
