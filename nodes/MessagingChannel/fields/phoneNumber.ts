import { InvalidInput, shown } from '../operation/input';

/** A 0 in brackets after the country code is only dialed within the country. */
const NATIONAL_ZERO = /(?<=^\(?(?:\+|00)?\(?[1-9]\d{0,2}\)?)\(0\)/;

/** Characters that separate digits. Japanese keyboards type U+30FC in place of a dash. */
const SEPARATORS = /[\s\p{Pd}\u2212\u30fc./]/gu;

/** The decimal that spreadsheets and CSV files append when they read a phone number as an amount. */
const DECIMAL = /(?<=^\+?\d{7,})\.0$/;

/**
 * Removes what keyboards and copying add to a text: invisible characters, full-width forms, and spaces around it.
 * Digit-like characters, such as a footnote mark, stay unchanged, because they do not belong to the number.
 */
export function cleaned(entered: string): string {
	return entered
		.replace(/\P{No}+/gu, (text) => text.normalize('NFKC'))
		.replace(/\p{Cf}/gu, '')
		.trim();
}

/**
 * The digits of a phone number, without punctuation. A leading 0 stays, because only the service knows the country.
 *
 * @returns undefined when it is not a phone number
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
 * Converts a phone number to what the service accepts (API spec, "Conventions" 7).
 *
 * @throws InvalidInput when it is not a phone number
 */
export function normalizePhone(entered: string): string {
	const digits = digitsOf(entered);
	if (digits !== undefined) return digits;
	throw new InvalidInput(
		`is not a valid phone number: ${shown(entered)}`,
		'Enter the number with its country code, e.g. +90 555 123 45 67.',
	);
}

/** Whether a text is a chat id: a phone number or a group, `@`, and the suffix of the channel. */
export function isChatId(entered: string): boolean {
	return /^[^\s@/]+@[^\s@/]+$/.test(entered);
}
