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

/** A reply that answers a question. */
export interface ReadReply {
	/** Whether it names the question by its code word. */
	hasCode: boolean;
	/** The values of the answer. */
	values: IDataObject;
}

/**
 * Reads a reply as the answer to a question.
 *
 * @returns undefined if it is none
 */
export function readReply(question: Question, inChat: InChat, reply: ChatReply): ReadReply | undefined {
	if (!mayAnswer(reply.from, reply.chat, inChat)) return undefined;
	const withoutCode = textBesideCode(reply.text, inChat.code);
	const hasCode = withoutCode !== undefined;
	const isFirst = !reply.sendersSince.some((sender) => mayAnswer(sender, reply.chat, inChat));
	const values = valuesIn(question, withoutCode ?? reply.text, hasCode || isFirst);
	return values && { hasCode, values };
}

/** Only a group says who wrote. */
function mayAnswer(from: string | undefined, chat: string, { responders }: InChat): boolean {
	if (responders.length === 0) return true;
	return from !== undefined && from !== chat && responders.includes(numberInChatId(from));
}

/** The text without the code word at its beginning or end; undefined if the code word is not there. */
function textBesideCode(text: string, code: string): string | undefined {
	const found = new RegExp(
		`^[\\s\\p{P}]*${code}(?![\\p{L}\\p{N}])[\\s\\p{P}]*|[\\s\\p{P}]*(?<![\\p{L}\\p{N}])${code}[\\s\\p{P}]*$`,
		'iu',
	).exec(text);
	return found ? text.replace(found[0], '') : undefined;
}

/** @param isMeant whether a text that could be about anything is meant for this question */
function valuesIn(question: Question, text: string, isMeant: boolean): IDataObject | undefined {
	const { reply, language } = question;
	if (reply.type === 'approval') return approvalIn(reply, text, language);
	const [field] = reply.fields;
	if (!field || text.trim() === '' || (takesAnyText(field) && !isMeant)) return undefined;
	if (reply.type === 'freeText') return { text: text.trim() };
	const parsed = parseForm([field], { [fieldName(0)]: entriesIn(field, text, language) }, textsOf(question));
	return 'errors' in parsed ? undefined : parsed.values;
}

function takesAnyText({ type }: FormField): boolean {
	return type === 'text' || type === 'textarea';
}

function approvalIn(
	{ approve, decline }: Approval,
	text: string,
	language?: string,
): IDataObject | undefined {
	if (areAlike(text, approve, language)) return { approved: true };
	if (decline !== undefined && areAlike(text, decline, language)) return { approved: false };
	return undefined;
}

/** What a text enters in a field. An option is recognised however it is written, and put out as it was defined. */
function entriesIn({ type, choices }: FormField, text: string, language?: string): string[] {
	const optionOf = (entry: string) => choices.find((choice) => areAlike(entry, choice, language)) ?? entry;
	if (type === 'checkbox') {
		const whole = optionOf(text);
		return choices.includes(whole) ? [whole] : splitList(text).map(optionOf);
	}
	return [choices.length > 0 ? optionOf(text) : text];
}

/** Whether two texts are the same, apart from case, spaces, punctuation and emoji. */
export function areAlike(one: string, other: string, language?: string): boolean {
	const forms = formsOf(other, language);
	return formsOf(one, language).some((form) => form !== '' && forms.includes(form));
}

/** In some languages, capital letters have other small ones than in English: a Turkish I is an ı. */
function formsOf(text: string, language = 'en'): string[] {
	const normalized = text.normalize('NFKC');
	const bare = normalized.replace(/[^\p{L}\p{M}\p{N}]|\uFE0F/gu, '');
	// A text of emoji alone is one of these, without their colors.
	const compared = bare || normalized.replace(/\s|\uFE0F|\p{Emoji_Modifier}/gu, '');
	return [compared.toLocaleLowerCase('en'), compared.toLocaleLowerCase(language)];
}

/**
 * Checks that a reply can answer the question.
 *
 * @throws InvalidInput if the form has several fields, or two answers cannot be told apart
 */
export function checkAnswerable({ reply, language }: Question): void {
	if (reply.type === 'approval') {
		const { approve, decline } = reply;
		requireDistinct(decline === undefined ? [approve] : [approve, decline], 'Approval Options', language);
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
	requireDistinct(field.choices, 'Form Fields', language);
}

function requireDistinct(answers: string[], displayName: string, language?: string): void {
	const isUnclear = answers.some(
		(answer, index) =>
			!areAlike(answer, answer, language) ||
			answers.slice(index + 1).some((other) => areAlike(answer, other, language)),
	);
	if (!isUnclear) return;
	throw new InvalidInput(
		`has answers that cannot be told apart in the chat: ${answers.map((answer) => `'${answer}'`).join(', ')}`,
		'Give each answer a text that differs from the others in its letters or digits.',
		displayName,
	);
}
