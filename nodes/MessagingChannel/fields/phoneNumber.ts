import { InvalidInput, shown } from '../operation/input';

/** After a country code, a 0 in brackets is for callers from within the country. */
const NATIONAL_ZERO = /(?<=^\(?(?:\+|00)?\(?[1-9]\d{0,2}\)?)\(0\)/;

/** What people write between digits. On Japanese keyboards, U+30FC is where the dash would be. */
const SEPARATORS = /[\s\p{Pd}\u2212\u30fc./]/gu;

/** The decimal that spreadsheets and CSV files give a number which they take for an amount. */
const DECIMAL = /(?<=^\+?\d{7,})\.0$/;

/**
 * The text without what keyboards and copying add to it: invisible marks, full-width characters, and spaces around it.
 * What is like a digit but none of a number, such as the mark of a footnote, stays what it is.
 */
export function cleaned(entered: string): string {
	return entered
		.replace(/\P{No}+/gu, (text) => text.normalize('NFKC'))
		.replace(/\p{Cf}/gu, '')
		.trim();
}

/**
 * The digits of a phone number, without the punctuation that people write, or nothing when it is no phone number. A
 * leading 0 stays, because only the service knows the country that it stands for.
 */
export function digitsOf(entered: string): string | undefined {
	const digits = cleaned(entered)
		.replace(/^tel:/i, '')
		.replace(DECIMAL, '')
		.replace(SEPARATORS, '')
		.replace(NATIONAL_ZERO, '')
		.replace(/[()]/g, '')
		.replace(/^(\+|00)/, '');
	return /^0?[1-9]\d{5,14}$/.test(digits) ? digits : undefined;
}

/**
 * A phone number as the service takes it (API spec, "Conventions" 7).
 *
 * @throws InvalidInput when it is no phone number
 */
export function normalizePhone(entered: string): string {
	const digits = digitsOf(entered);
	if (digits !== undefined) return digits;
	throw new InvalidInput(
		`is not a valid phone number: ${shown(entered)}`,
		'Enter the number with its country code, e.g. +90 555 123 45 67.',
	);
}

/** Whether this is the service's own id of a chat, such as a phone number with the channel's suffix. */
export function isChatId(entered: string): boolean {
	return /^[^\s@/]+@[^\s@/]+$/.test(entered);
}
