import type { IDataObject } from 'n8n-workflow';

import { numberInChatId } from '../../api/chatId';
import { splitList } from '../../api/values';
import { InvalidInput } from '../../operation/input';
import { fieldName, parseForm } from '../answer';
import { ANSWERED_AT, RESPONDED_BY, type FormField } from '../formField';
import { textsOf } from '../pageTexts';
import type { Approval, InChat, Question } from '../question';

/** A text that somebody wrote in the chat of a question. */
export interface ChatReply {
	/** The ID of the message. */
	messageId: string;
	/** The ID of the chat. */
	chat: string;
	/** Who wrote it, as far as the service says. */
	from?: string;
	text: string;
	/** Who has written a text since the question. */
	sendersSince: string[];
}

/**
 * Reads a reply as the answer to a question.
 *
 * @returns the values of the answer; undefined if it is none
 */
export function readReply(question: Question, inChat: InChat, reply: ChatReply): IDataObject | undefined {
	if (!mayAnswer(reply.from, reply.chat, inChat)) return undefined;
	const withoutCode = textBesideCode(reply.text, inChat.code);
	const isFirst = !reply.sendersSince.some((sender) => mayAnswer(sender, reply.chat, inChat));
	return valuesIn(question, withoutCode ?? reply.text, withoutCode !== undefined || isFirst);
}

/** Only a group says who wrote. */
function mayAnswer(from: string | undefined, chat: string, { responders }: InChat): boolean {
	if (responders.length === 0) return true;
	return from !== undefined && from !== chat && responders.includes(numberInChatId(from));
}

/**
 * The text without the code word at its beginning or end, and without the marks around the code word. The time does not
 * depend on what else is in the text, which can be long.
 *
 * @returns undefined if the code word is not there
 */
export function textBesideCode(text: string, code: string): string | undefined {
	const places = [...text.matchAll(new RegExp(code, 'gi'))].map(({ index }) => index);
	const [first = -1, last = -1] = [places.at(0), places.at(-1)];
	if (first < 0) return undefined;
	const [before, after] = [text.slice(0, last), text.slice(last + code.length)];
	if (!hasWord(text.slice(0, first)) && !/^[\p{L}\p{N}]/u.test(text.slice(first + code.length))) {
		return text.slice(first + code.length).replace(/^[*_~`"'”’)\]}]*[:,;.!]*\s*/, '');
	}
	if (hasWord(after) || /[\p{L}\p{N}]$/u.test(before)) return undefined;
	const rest = before.replace(/[*_~`"'“‘([{]{1,3}$/, '').trimEnd();
	return rest.replace(/[:,;–—-]$/, '').trimEnd();
}

function hasWord(text: string): boolean {
	return /[\p{L}\p{N}]/u.test(text);
}

/** @param isMeant whether a text that could be about anything is meant for this question */
function valuesIn(question: Question, text: string, isMeant: boolean): IDataObject | undefined {
	const { reply } = question;
	if (reply.type === 'approval') return approvalIn(reply, text);
	const [field] = reply.fields;
	if (!field || text.trim() === '' || (takesAnyText(field) && !isMeant)) return undefined;
	if (reply.type === 'freeText') return { text: text.trim() };
	if (field.type === 'number' && isAmbiguousNumber(text.trim())) return undefined;
	const parsed = parseForm([field], { [fieldName(0)]: entriesIn(field, text) }, textsOf(question));
	return 'errors' in parsed ? undefined : parsed.values;
}

function takesAnyText({ type }: FormField): boolean {
	return type === 'text' || type === 'textarea';
}

/** In some countries, the point in 1.500 separates thousands. */
function isAmbiguousNumber(text: string): boolean {
	return /^[-+]?[1-9]\d{0,2}\.\d{3}$/.test(text);
}

function approvalIn({ approve, decline }: Approval, text: string): IDataObject | undefined {
	if (isAnswer(text, approve)) return { approved: true };
	if (decline !== undefined && isAnswer(text, decline)) return { approved: false };
	return undefined;
}

/** What a text enters in a field. An option is recognised however it is written, and put out as it was defined. */
function entriesIn({ type, choices }: FormField, text: string): string[] {
	const optionOf = (entry: string) => choices.find((choice) => isAnswer(entry, choice)) ?? entry;
	if (type === 'checkbox') {
		const whole = optionOf(text);
		return choices.includes(whole) ? [whole] : [...new Set(splitList(text).map(optionOf))];
	}
	return [choices.length > 0 ? optionOf(text) : text];
}

/** Whether a text is one of the answers to choose from. Somebody who adds a question mark asks back. */
function isAnswer(text: string, answer: string): boolean {
	const asksBack = /[?？؟]/.test(text) && !/[?？؟]/.test(answer);
	return !asksBack && areAlike(text, answer);
}

/** Whether two texts are the same, apart from case, spaces, punctuation and emoji. */
export function areAlike(one: string, other: string): boolean {
	const form = formOf(one);
	return form !== '' && form === formOf(other);
}

/** In some languages, the capital of an i has a dot, or that of an ı is an I. People write all of them for each other. */
function formOf(text: string): string {
	const normalized = text.normalize('NFKC');
	const bare = normalized.replace(/[^\p{L}\p{M}\p{N}]|[\uFE0E\uFE0F]/gu, '');
	// A text of emoji alone is one of these, without their colors.
	const compared = bare || normalized.replace(/\s|[\uFE0E\uFE0F]|\p{Emoji_Modifier}/gu, '');
	return compared.toUpperCase().replace(/İ|I\u0307/g, 'I');
}

/**
 * Checks that a reply can answer the question.
 *
 * @throws InvalidInput if the form has several fields, or two answers cannot be told apart
 */
export function checkAnswerable({ reply }: Question): void {
	if (reply.type === 'approval') {
		const { approve, decline } = reply;
		requireDistinct(decline === undefined ? [approve] : [approve, decline], 'Approval Options');
		return;
	}
	const [field, ...others] = reply.fields;
	if (others.length > 0) {
		throw new InvalidInput(
			`has ${reply.fields.length} fields, but a reply in the chat can fill in only one`,
			"Keep one field, or turn off 'Answer in Chat'.",
			'Form Fields',
		);
	}
	if (!field) return;
	if (field.label === RESPONDED_BY) {
		throw new InvalidInput(
			`has a label that is already in use: '${RESPONDED_BY}'`,
			`Give the field another label. '${ANSWERED_AT}' and '${RESPONDED_BY}' are reserved for the time and the author of the response.`,
			'Form Fields',
		);
	}
	requireDistinct(field.choices, 'Form Fields');
}

function requireDistinct(answers: string[], displayName: string): void {
	const isUnclear = answers.some(
		(answer, index) =>
			!areAlike(answer, answer) || answers.slice(index + 1).some((other) => areAlike(answer, other)),
	);
	if (!isUnclear) return;
	throw new InvalidInput(
		`has answers that cannot be told apart in the chat: ${answers.map((answer) => `'${answer}'`).join(', ')}`,
		'Give each answer a text that differs from the others in its letters or digits.',
		displayName,
	);
}
