import { countryCodeIn } from '../recipients/phoneNumber';

/** Longer texts would push the name out of the list. */
const MAX_PREVIEW_LENGTH = 60;

/**
 * A phone number as people read it: with its country code and in groups.
 *
 * @param digits the number with its country code; anything else is returned unchanged
 */
export function shownNumber(digits: string): string {
	const code = countryCodeIn(digits);
	if (code === undefined || !/^\d{8,15}$/.test(digits)) return digits;
	return `+${code} ${grouped(digits.slice(code.length))}`;
}

/**
 * The beginning of a text, in one line.
 *
 * @returns at most about 60 characters
 */
export function previewOf(text: string): string {
	const characters = [...text.replace(/\s+/g, ' ').trim()];
	if (characters.length <= MAX_PREVIEW_LENGTH) return characters.join('');
	return `${characters.slice(0, MAX_PREVIEW_LENGTH).join('').trimEnd()}…`;
}

/** Groups of three digits. In place of a single digit at the end, the last four make two groups of two. */
function grouped(digits: string): string {
	if (digits.length % 3 === 1)
		return `${triples(digits.slice(0, -4))} ${digits.slice(-4, -2)} ${digits.slice(-2)}`;
	return triples(digits);
}

function triples(digits: string): string {
	return digits.replace(/\d{3}(?=\d)/g, '$& ');
}
