import { UserError } from 'n8n-workflow';

import type { Message } from '../../api/message';
import { nonEmptyTexts, recordOrEmpty, splitList } from '../../api/values';
import { shown } from '../../operation/input';
import { numberWithCountryCode, withAsciiDigits } from '../../recipients/phoneNumber';
import { recipientKey } from '../../recipients/recipient';

/** A word or phrase of the panel. */
export interface Keyword {
	/** In the form in which texts are compared. */
	form: string;
	/** What a mention is compared with, if it is a phone number. */
	recipient: string | undefined;
}

/**
 * Reads an entry of the panel: words or phrases.
 *
 * @param entry commas, semicolons and line breaks separate several
 * @throws UserError if one of them has nothing that a message could contain; n8n shows only the message, so it contains the advice
 */
export function keywordsIn(entry: string): Keyword[] {
	const keywords = splitList(entry).map(keywordOf);
	if (keywords.length > 0 && keywords.every(({ form }) => form !== '')) return keywords;
	throw new UserError(
		`'Keywords' has an entry without a word: ${shown(entry)}. Enter a word, a number or an emoji, or delete the entry.`,
	);
}

function keywordOf(entered: string): Keyword {
	const number = numberWithCountryCode(entered.replace(/^@/, ''));
	return { form: comparableForm(entered).trim(), recipient: number && recipientKey(number) };
}

/** Whether the text or the caption of a message has one of the words or phrases. */
export function hasKeyword({ text, record }: Message, keywords: readonly Keyword[]): boolean {
	const captions = [record.caption, recordOrEmpty(record.media).caption];
	const form = comparableForm(nonEmptyTexts([text, ...captions]).join('\n'));
	// A mention is the number of an account after an @.
	const recipients = new Set<string | undefined>(form.match(/(?<!\d)\d{6,15}(?!\d)/g)?.map(recipientKey));
	return keywords.some((keyword) => hasWords(form, keyword.form) || recipients.has(keyword.recipient));
}

/** Whether a text has these words, and not only as a part of others. */
function hasWords(text: string, words: string): boolean {
	for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1))
		if (!isWithinWord(text, at) && !isWithinWord(text, at + words.length)) return true;
	return false;
}

/** In these scripts, no spaces show where words begin and end, or words grow together with others. */
const UNSPACED =
	'\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}';

/** A part of a word or of a number. */
const PART = `(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}.,]`;

/** Within an emoji, a joiner joins others. */
const WITHIN_WORD = new RegExp(`(?<=${PART})${PART}|(?<=\\u200d)|(?=\\u200d)`, 'uy');

function isWithinWord(text: string, index: number): boolean {
	WITHIN_WORD.lastIndex = index;
	return WITHIN_WORD.test(text);
}

const PICTURE = '\\p{Extended_Pictographic}';
const EMOJI = new RegExp(`${PICTURE}(?:\\u200d${PICTURE})*|\\p{Regional_Indicator}{2}`, 'gu');
/** What is compared as the characters that it is a variant of: no emoji, and not U+FDFA, which is 18 letters. Thousands take seconds. */
const VARIANTS = new RegExp(`[^${PICTURE}\\uFDFA]+`, 'gu');

/** An emoji of a key, or several: no part of the word beside it. */
const KEYS = /(?:[\d#*]\uFE0F?\u20E3)+/g;

/** How emoji and Arabic words are drawn. */
const STYLES = /[\uFE0E\uFE0F\u20E3\u0640\p{Emoji_Modifier}]/gu;

/** Joiners within an emoji tell it from others. */
const INVISIBLE = new RegExp(`(?!(?<=${PICTURE})\\u200d${PICTURE})\\p{Cf}`, 'gu');

/** In other scripts, they make other letters. */
const ACCENTS =
	/([\p{Script=Latin}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Arabic}])\p{M}+|(?<=\p{Script=Cyrillic})[\u0300\u0301]|(?<=\p{Script=Devanagari})\u093C/gu;

/** More than those that Unicode allows a letter of a stream. To order thousands, JavaScript needs seconds. */
const MANY_MARKS = /(\p{M}{30})\p{M}+/gu;

/** Letters that people write for each other, and whose difference is no accent to Unicode. */
const ALIKE: Record<string, string> = {
	Ё: 'Е',
	Ł: 'L',
	Ø: 'O',
	Đ: 'D',
	Æ: 'AE',
	Œ: 'OE',
	// Arabic letters.
	'\u0671': '\u0627',
	'\u0649': '\u064A',
	'\u06CC': '\u064A',
	'\u06A9': '\u0643',
	'\u0629': '\u0647',
};
const LETTERS = new RegExp(`[${Object.keys(ALIKE).join('')}]`, 'g');

/** Spaces and punctuation, also marks of bold text. A point in a number is none, and neither is a sign with a meaning. */
const BETWEEN_WORDS =
	/(?:(?<!\p{N})[.,]|[.,](?!\p{N})|[^\p{L}\p{M}\p{N}\p{S}\p{Extended_Pictographic}\u200d.,#/@%&\\]|[~`^])+/gu;

/**
 * The form in which texts are compared: case, accents, spaces, punctuation and the variants of characters make no difference.
 * Words and emoji are separated by single spaces.
 */
function comparableForm(text: string): string {
	const plain = text
		.replace(/[\u2018\u2019\u02BC\u00B4`\u2032]/g, "'")
		.replace(KEYS, ' $& ')
		.replace(STYLES, '')
		.replace(INVISIBLE, '')
		.replace(MANY_MARKS, '$1')
		.replace(VARIANTS, (part) => part.normalize('NFKD'))
		.replace(ACCENTS, '$1')
		.normalize('NFC')
		// First in small letters, because ẞ has no other capital. The capital of the Turkish ı is an I.
		.toLowerCase()
		.toUpperCase()
		.replace(LETTERS, (letter) => ALIKE[letter] ?? letter)
		// Can't is another word than can.
		.replace(/(?<=N)'T(?!\p{L})/gu, 'T');
	return withAsciiDigits(plain).replace(EMOJI, ' $& ').replace(BETWEEN_WORDS, ' ');
}
