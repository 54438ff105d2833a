/** A 0 in brackets after the country code is only dialed within the country, except for landlines in Italy (39). */
const NATIONAL_ZERO = /(?<=^\(?(?:\+|00)?\(?(?!39\)?\(0\)(?!3\d{9}$))[1-9]\d{0,2}\)?)\(0\)/;

/** Characters that separate digits. Japanese keyboards type U+30FC in place of a dash. */
const SEPARATORS = /[\s\p{Pd}\u2212\u30fc./]/gu;

/** The decimals that spreadsheets and CSV files append when they read a phone number as an amount. */
const DECIMALS = /(?<=^\+?\d{7,})\.00?$/;

/** Other decimals: of a number without separators, or after thousands, which have no +. They are not digits of a phone number. */
const OTHER_DECIMALS = /^\+?\d{7,}\.(\d{1,2}|0+)$|^[^+]+(\.0|(?<!\.\d\d)\.00)$/;

/**
 * Removes what keyboards and copying add to a text: invisible characters, full-width forms, digits of other scripts, and spaces
 * around it. Digit-like characters, such as a footnote mark, stay unchanged, because they do not belong to the number.
 */
export function cleaned(entered: string): string {
	return entered
		.replace(/\P{No}+/gu, (text) => text.normalize('NFKC'))
		.replace(/\p{Cf}/gu, '')
		.replace(/[^\P{Nd}\d]/gu, asciiDigit)
		.trim();
}

/** In Unicode, the ten digits of a script follow each other, and so do scripts. */
function asciiDigit(digit: string): string {
	const codePoint = digit.codePointAt(0) ?? 0;
	let first = codePoint;
	while (/^\p{Nd}/u.test(String.fromCodePoint(first - 1))) first--;
	return String((codePoint - first) % 10);
}

/** Whether a number ends with decimals that cannot be told from its digits. */
export function hasDecimals(entered: string): boolean {
	const number = cleaned(entered);
	return !DECIMALS.test(number) && OTHER_DECIMALS.test(number);
}

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
	// Most are, and campaigns have many.
	if (/^[1-9]\d{5,14}$/.test(entered)) return entered;
	const digits = withoutPunctuation(entered).replace(/^(\+|00)/, '');
	return /^0?[1-9]\d{5,14}$/.test(digits) && !hasDecimals(entered) ? digits : undefined;
}

/** Whether a phone number begins with + or 00, so that its country code follows. */
export function hasCountryCode(entered: string): boolean {
	return /^(\+|00)[1-9]/.test(withoutPunctuation(entered));
}
