import trimEnd from 'lodash/trimEnd';
import type { IDataObject } from 'n8n-workflow';

import { trimmedTexts } from '../api/values';
import { InvalidInput } from '../operation/input';
import { withAsciiDigits } from '../recipients/phoneNumber';
import { compareRecipients } from '../recipients/recipient';
import { fieldName, parseForm } from './parseForm';
import { ANSWERED_AT, RESPONDED_BY, type FormField } from './formField';
import { textsOf } from './pageTexts';
import type { ChatReply } from './inChat/protocol';
import type { Approval, InChat, Question } from './question';

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
	if (from === undefined || from === chat) return false;
	// Who may be somebody else is not allowed.
	return responders.some((responder) => compareRecipients(responder, from) === 'same');
}

/**
 * Whether a reply that is no answer would be one if its author could be told from others: the service does not name the author,
 * or by an ID that hides the number.
 */
export function needsAuthor(question: Question, inChat: InChat, reply: ChatReply): boolean {
	const { from, chat } = reply;
	const isUnclear =
		from === undefined ||
		from === chat ||
		inChat.responders.some((responder) => compareRecipients(responder, from) === 'perhaps');
	return isUnclear && readReply(question, { ...inChat, responders: [] }, reply) !== undefined;
}

/** Signs that ask back. In Greek, a semicolon does. */
const ASKS = /[?¿;\u037E？؟⁇⁈⁉❓❔🤔🤷]/u;

/** Struck through, in the marks of the channel. */
const STRUCK = /~[^~]+~/;

/**
 * What changes nothing: letters and digits, which are compared themselves, spaces, marks of direction, the punctuation of a
 * sentence, marks of the channel, and emoji of consent. Any other sign may negate the text.
 */
const HARMLESS =
	/^(?:[\p{L}\p{M}\p{N}\s.,:!…"'“”„‘’‚«»‹›*_`#–—-]|[\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\p{Emoji_Modifier}]|[👍👌✅✔✓☑🆗💯🙏🤝👏🙌💪🫡👋🙂😊😀😃😄😁😉😎😍🥰🤩🎉🎊🥳🎈❤🧡💛💚💙💜🖤🤍🤎⭐🌟✨🚀🌹💐🌸ℹ™©®])*$/u;

const SMILEY = /(?<=\s|[.,!]):-?\)/g;

/** In programs, an exclamation mark before a word negates it. A hyphen at a word takes it away. */
const NEGATED = /^[^\p{L}\p{N}]*(?:!|[-–—](?=\p{L}))/u;

/**
 * The text without the code word at its beginning or end, and without the marks around the code word. Signs on its other side
 * that change the meaning of the text are kept. The time does not depend on what else is in the text, which can be long.
 *
 * @returns undefined if the code word is not there
 */
export function textBesideCode(text: string, code: string): string | undefined {
	const [first] = placesOf(code, text);
	if (first === undefined) return undefined;
	const start = text.slice(0, first);
	const afterFirst = text.slice(first + code.length);
	if (hasWord(start) || /^[\p{L}\p{N}]/u.test(afterFirst)) return textBeforeCode(text, code);
	// A hyphen beside the code word is no minus.
	const rest = afterFirst.replace(/^[*_~`"'”’)\]}]*([–—-]|[:,;.!]*)\s*/, '');
	const negation = normalizedFormOf(start).includes('!') ? '!' : '';
	return signsIn(start, rest) + negation + (textBeforeCode(rest, code) || rest);
}

/** The text before the code word at its end; undefined if it is not there. */
function textBeforeCode(text: string, code: string): string | undefined {
	const last = placesOf(code, text).at(-1);
	if (last === undefined) return undefined;
	const [before, after] = [text.slice(0, last), text.slice(last + code.length)];
	if (hasWord(after) || /[\p{L}\p{N}]$/u.test(before)) return undefined;
	const unmarked = before.replace(/[*_~`"'“‘([{]{1,3}$/, '').trimEnd();
	const rest = unmarked.replace(/[:,;–—-]$/, '').trimEnd();
	return rest + signsIn(after, rest);
}

function placesOf(code: string, text: string): number[] {
	return [...text.matchAll(new RegExp(code, 'gi'))].map(({ index }) => index);
}

/** The signs that may change the meaning of the rest. A tilde alone is a mark around the code word, as are brackets. */
function signsIn(text: string, rest: string): string {
	const signs = [...text].filter((sign) => !isHarmless(sign) && !/[()[\]{}]/.test(sign));
	return signs.filter((sign) => sign !== '~' || rest.includes('~')).join('');
}

function isHarmless(sign: string): boolean {
	// Some emoji are variants of letters: 🈚 means without.
	return HARMLESS.test(sign.replace(EMOJI, '') === '' ? sign : normalizedFormOf(sign));
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
	const isPlain = field.type === 'number' || field.type === 'date';
	// In Arabic, a decimal point has a sign of its own.
	const entered = isPlain ? withPlainDigits(text).replace(/\u066B/g, '.') : text;
	if (field.type === 'number' && isAmbiguousNumber(entered.trim())) return undefined;
	const entries = entriesIn(field, entered);
	if (!entries) return undefined;
	const parsed = parseForm([field], { [fieldName(0)]: entries }, textsOf(question));
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
	// What negates it declines, too.
	const isDeclined = decline !== undefined && !changes(text, decline) && isSameAnswer(text, decline);
	return isDeclined ? { approved: false } : undefined;
}

/**
 * Converts a text to the values of a form field. An option is recognized however it is written, and put out as it was defined.
 *
 * @returns undefined if it is not certain
 */
function entriesIn({ type, choices }: FormField, text: string): string[] | undefined {
	if (type === 'email') return changes(text) || SPECIAL.test(text) ? undefined : [emailIn(text)];
	const optionOf = (entry: string) => choices.find((choice) => isAnswer(entry, choice));
	const whole = optionOf(text);
	// With the options A, B and AB, the text A/B is one of them or two.
	if (whole !== undefined) return areSeveral(text, choices) ? undefined : [whole];
	if (type !== 'checkbox') return [text];
	return [
		...new Set(trimmedTexts(text.split(/[,\uFF0C\u060C\u3001\n]/)).map((entry) => optionOf(entry) ?? entry)),
	];
}

/** No address has such a sign. */
const SPECIAL = /[^\p{ASCII}\p{L}\p{M}\p{N}]/u;

/** Whether a text asks back or takes itself back, unless the answer does so, too. */
function changes(text: string, answer = ''): boolean {
	return [ASKS, STRUCK].some((sign) => sign.test(text) && !sign.test(answer));
}

/** An email address without what people and programs put around one. */
function emailIn(text: string): string {
	const bare = text.trim().replace(/^_(.*)_$/s, '$1');
	return trimEnd(bare.replace(/^[<("'*]*(mailto:)?/i, ''), `>)"'*.,!`);
}

const MAX_DECORATION = 100;

/** Whether a text names several options. */
function areSeveral(text: string, choices: readonly string[]): boolean {
	const words = text.match(WORD) ?? [];
	return words.length > 1 && words.every((word) => choices.some((choice) => areAlike(word, choice)));
}

/** Whether a text is one of the answers to choose from, with only what is certainly harmless around it. */
function isAnswer(text: string, answer: string): boolean {
	if (!isSameAnswer(text, answer) || changes(text, answer)) return false;
	if (isNegated(text) && !isNegated(answer)) return false;
	return [...text.replace(SMILEY, '')].every((sign) => isHarmless(sign) || answer.includes(sign));
}

/** The signs have variants, such as those as wide as Chinese letters. */
function isNegated(text: string): boolean {
	return NEGATED.test(normalizedFormOf(text));
}

function isSameAnswer(text: string, answer: string): boolean {
	// Comparing long texts takes time, and nobody decorates an answer so much.
	return text.length <= 3 * answer.length + MAX_DECORATION && areAlike(text, answer);
}

/** A word, or a number with its minus. */
const WORD = /(?:(?<![\p{L}\p{M}\p{N}])-(?=\p{N}))?[\p{L}\p{M}\p{N}]+/gu;

/** Whether two texts are the same, apart from case, spaces, punctuation and emoji. */
export function areAlike(one: string, other: string): boolean {
	const form = comparableFormOf(one);
	return form !== '' && form === comparableFormOf(other);
}

/** Some emoji are also letters, such as ℹ. Unicode counts digits as emoji, because they can stand in a key, such as 1️⃣. */
const EMOJI = /(?![#*\d])\p{Emoji}/gu;

/** Without the variants of a character. A digit in a key is that digit. */
function normalizedFormOf(text: string): string {
	return withPlainDigits(text.normalize('NFKC').replace(/[\uFE0E\uFE0F\u20E3]/g, ''));
}

/** A number with the digits and the minus that programs read. */
function withPlainDigits(text: string): string {
	return withAsciiDigits(text).replace(/−/g, '-');
}

/** In some languages, the capital of an i has a dot, or that of an ı is an I. People write all of them for each other. */
function comparableFormOf(text: string): string {
	const normalized = normalizedFormOf(text);
	const words = normalizedFormOf(text.replace(EMOJI, ' ')).match(WORD) ?? [];
	// 1.0 is not 10.
	const bare = words
		.map((word, index) =>
			/^\p{N}/u.test(word) && /\p{N}$/u.test(words[index - 1] ?? '') ? ` ${word}` : word,
		)
		.join('');
	// A text of emoji alone is one of these, without their colors.
	const compared = bare || normalized.replace(/\s|\p{Emoji_Modifier}/gu, '');
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
