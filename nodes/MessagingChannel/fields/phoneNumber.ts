import { InvalidInput, shown } from '../operation/input';

/** A 0 in brackets after the country code is only dialed within the country, except for landlines in Italy (39). */
const NATIONAL_ZERO = /(?<=^\(?(?:\+|00)?\(?(?!39\)?\(0\)(?!3\d{9}$))[1-9]\d{0,2}\)?)\(0\)/;

/** Characters that separate digits. Japanese keyboards type U+30FC in place of a dash. */
const SEPARATORS = /[\s\p{Pd}\u2212\u30fc./]/gu;

/** The decimals that spreadsheets and CSV files append when they read a phone number as an amount. */
const DECIMALS = /(?<=^\+?\d{7,})\.00?$/;

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

/** A number of at least 100,000 as spreadsheets show it in a narrow column, e.g. 5.55E+11. */
const SCIENTIFIC = /^[+-]?\d([.,]\d+)?e\+?\d{1,2}$/i;

/** What a spreadsheet calculates when a number is entered as +90-5551234567. The rest is another person's number. */
const NEGATIVE = /^[-\u2212]\d+(\.\d+)?$/;

/** Characters that show nothing, and that are neither spaces nor removed as formatting. */
const HIDDEN = /(?!\s)[\p{Cc}\p{Co}\p{Cn}\p{Mn}\u115f\u1160\u2800\u3164]/u;

/** A phone number without punctuation, with the + or 00 before its country code. */
function withoutPunctuation(entered: string): string {
	return cleaned(entered)
		.replace(/^tel:/i, '')
		.replace(DECIMALS, '')
		.replace(SEPARATORS, '')
		.replace(NATIONAL_ZERO, '')
		.replace(/[()]/g, '');
}

/**
 * The digits of a phone number, without punctuation. A leading 0 stays, because only the service knows the country.
 *
 * @returns undefined when it is not a phone number
 */
export function digitsOf(entered: string): string | undefined {
	const digits = withoutPunctuation(entered).replace(/^(\+|00)/, '');
	return /^0?[1-9]\d{5,14}$/.test(digits) ? digits : undefined;
}

/** Whether a phone number begins with + or 00, so that its country code follows. */
export function hasCountryCode(entered: string): boolean {
	return /^(\+|00)[1-9]/.test(withoutPunctuation(entered));
}

/**
 * Converts a phone number to what the service accepts (API spec, "What the service does" 7).
 *
 * @throws InvalidInput when it is not a phone number
 */
export function normalizePhone(entered: string): string {
	if (NEGATIVE.test(cleaned(entered))) {
		throw new InvalidInput(
			`is a negative number, which a spreadsheet has calculated: ${shown(entered)}`,
			'Format the column as text in the spreadsheet, and enter the numbers again, because they were changed.',
		);
	}
	const digits = digitsOf(entered);
	if (digits !== undefined) return digits;
	const [hidden] = HIDDEN.exec(entered) ?? [];
	if (SCIENTIFIC.test(cleaned(entered))) {
		throw new InvalidInput(
			`is a number that a spreadsheet has rounded: ${shown(entered)}`,
			'Format the column as text in the spreadsheet, and enter the numbers again, because their last digits are lost.',
		);
	}
	if (hidden !== undefined) {
		const codePoint = (hidden.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
		throw new InvalidInput(
			`contains the hidden character U+${codePoint}: ${shown(entered)}`,
			'Type the number again instead of copying it.',
		);
	}
	throw new InvalidInput(
		`is not a valid phone number: ${shown(entered)}`,
		'Enter the number with its country code, e.g. +90 555 123 45 67.',
	);
}
