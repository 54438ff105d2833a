import { InvalidInput, shown } from '../operation/input';
import { cleaned, digitsOf, hasDecimals } from '../recipients/phoneNumber';

/** A number of at least 100,000 as spreadsheets show it in a narrow column, e.g. 5.55E+11. */
const SCIENTIFIC = /^[+-]?\d([.,]\d+)?e\+?\d{1,2}$/i;

/** What a spreadsheet calculates when a number is entered as +90-5551234567. The rest is another person's number. */
const NEGATIVE = /^[-\u2212]\d+(\.\d+)?$/;

/** Characters that show nothing, and that are neither spaces nor removed as formatting. */
const HIDDEN = /(?!\s)[\p{Cc}\p{Co}\p{Cn}\p{Mn}\u115f\u1160\u2800\u3164]/u;

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
	if (/\d/.test(cleaned(entered)) && hasDecimals(entered)) {
		throw new InvalidInput(
			`ends with decimals, as a spreadsheet writes amounts: ${shown(entered)}`,
			'Format the column as text in the spreadsheet, or remove the decimals.',
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
