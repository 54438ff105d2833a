import { NUMBERING_PLANS, type NumberingPlan } from './numberingPlans';

/** Eleven digits that begin with it are also what many other countries' numbers look like without their own code. */
export const NORTH_AMERICA = '1';

/** One way to read the digits of a number. */
export interface Reading {
	/** With the country code. */
	number: string;
	isMobile: boolean;
}

/** A numbering plan, with an expression for the first digits of each length. */
interface Plan {
	mobile: ReadonlyMap<number, RegExp>;
	others: ReadonlyMap<number, RegExp>;
	trunkPrefix: RegExp | undefined;
}

const plans = new Map(
	Object.entries(NUMBERING_PLANS).map(([code, plan]) => [code, lazily(() => parsePlan(plan))] as const),
);

function lazily<T>(make: () => T): () => T {
	let made: T | undefined;
	return () => (made ??= make());
}

function parsePlan({ mobile, others, trunkPrefix }: NumberingPlan): Plan {
	return {
		mobile: parseStarts(mobile),
		others: parseStarts(others),
		trunkPrefix: trunkPrefix === undefined ? undefined : new RegExp(`^(${trunkPrefix})`),
	};
}

function parseStarts(starts = ''): Map<number, RegExp> {
	const parts = starts.split(' ').filter((part) => part !== '');
	return new Map(
		parts.flatMap((part) => {
			const [lengths = '', expression = ''] = part.split(':');
			return lengths.split(',').map((length) => [Number(length), new RegExp(`^${expression}`)] as const);
		}),
	);
}

function planOf(countryCode: string): Plan | undefined {
	return plans.get(countryCode)?.();
}

/** Whether a country has this code. */
export function isCountryCode(digits: string): boolean {
	return plans.has(digits);
}

/** The country code that the digits of a number begin with; undefined if no country has it. */
export function countryCodeIn(digits: string): string | undefined {
	// No country code begins with another one.
	return [1, 2, 3].map((length) => digits.slice(0, length)).find(isCountryCode);
}

/**
 * The number by which the service names the chat with a phone number that has its country code. A 0 that is only dialed
 * within the country is left out. With + or 00, any country code is accepted.
 *
 * @returns undefined when no country has such numbers
 */
export function numberWithCountryCode(entered: string): string | undefined {
	return withCountryCode(readNumber(entered));
}

/** The same of a number that has been read. */
export function withCountryCode({ digits, hasCountryCode }: EnteredNumber): string | undefined {
	if (digits === undefined) return undefined;
	if (hasCountryCode) return internationalReading(digits, hasLength)?.number ?? digits;
	return internationalReading(digits)?.number;
}

/** Whether a number without its country code fits a plan. */
type Fits = (plan: Plan, number: string) => boolean;

/** New numbers can begin with digits that the table does not have. */
const hasLength: Fits = ({ mobile, others }, { length }) => mobile.has(length) || others.has(length);

const isMobile: Fits = ({ mobile }, number) => mobile.get(number.length)?.test(number) === true;

const isListed: Fits = (plan, number) =>
	isMobile(plan, number) || plan.others.get(number.length)?.test(number) === true;

/** The readings as a number within the country, with or without the prefix that is dialed there. Only the length must fit. */
export function nationalReadings(digits: string, countryCode: string): Reading[] {
	const plan = planOf(countryCode);
	if (!plan) return [];
	const candidates: string[] = [];
	// In countries without such a prefix, such as Italy, a 0 is part of the number.
	if (plan.trunkPrefix === undefined || !digits.startsWith('0')) candidates.push(digits);
	const dialed = withoutTrunkPrefix(plan, digits);
	if (dialed !== digits) candidates.push(dialed);
	return candidates
		.filter((number) => hasLength(plan, number))
		.map((number) => ({ number: countryCode + number, isMobile: isMobile(plan, number) }));
}

/** The mobile number within a country; undefined if it is none. */
export function mobileNumberIn(digits: string, countryCode: string): string | undefined {
	return nationalReadings(digits, countryCode).find((reading) => reading.isMobile)?.number;
}

/** Whether the digits are a mobile number within any country. */
export function isMobileSomewhere(digits: string): boolean {
	return [...plans.keys()].some((code) => mobileNumberIn(digits, code) !== undefined);
}

/**
 * The reading as a number that begins with its country code.
 *
 * @returns undefined when no country has numbers that begin so and have that length
 */
export function internationalReading(digits: string, fits = isListed): Reading | undefined {
	const code = countryCodeIn(digits) ?? '';
	const plan = planOf(code);
	if (!plan) return undefined;
	const entered = digits.slice(code.length);
	// A 0 after the country code is only dialed within the country.
	const number = plan.trunkPrefix?.source.includes('0') ? withoutTrunkPrefix(plan, entered) : entered;
	return fits(plan, number) ? { number: code + number, isMobile: isMobile(plan, number) } : undefined;
}

/** What follows the country code when a number is completed: as it is, and without what is only dialed within the country. */
export function completedWith(countryCode: string, national: string): string[] {
	const plan = planOf(countryCode);
	const forms = [national, national.replace(/^0/, ''), plan ? withoutTrunkPrefix(plan, national) : national];
	return forms.map((form) => countryCode + form);
}

function withoutTrunkPrefix({ trunkPrefix }: Plan, digits: string): string {
	return trunkPrefix ? digits.replace(trunkPrefix, '') : digits;
}

/** A 0 in brackets after the country code is only dialed within the country, except for landlines in Italy (39). */
const NATIONAL_ZERO = /(?<=^\(?(?:\+|00)?\(?(?!39\)?\(0\)(?!3\d{9}$))[1-9]\d{0,2}\)?)\(0\)/;

/** Characters that separate digits. Japanese keyboards type U+30FC in place of a dash. */
const SEPARATORS = /[\s\p{Pd}\u2212\u30fc./]/gu;

/** The decimals that spreadsheets and CSV files append when they read a phone number as an amount. */
const DECIMALS = /(?<=^\+?\d{7,})\.00?$/;

/** Other decimals: of a number without separators, or after thousands, which have no +. They are not digits of a phone number. */
const OTHER_DECIMALS = /^\+?\d{7,}\.(\d{1,2}|0+)$|^[^+]+(\.0|(?<!\.\d\d)\.00)$/;

/** What people write behind a number that is not part of it: which of several it is, or how the next one ends. */
const ADDITION = /\(\d{1,4}\)$|^[^/]*\/\s*\d{1,3}$/;

/**
 * Removes what keyboards and copying add to a text: invisible characters, full-width forms, digits of other scripts, and spaces
 * around it. Digit-like characters, such as a footnote mark, stay unchanged, because they do not belong to the number.
 */
export function cleaned(entered: string): string {
	const plain = entered.replace(/\P{No}+/gu, (text) => text.normalize('NFKC')).replace(/\p{Cf}/gu, '');
	return withAsciiDigits(plain).trim();
}

/** The text with the digits 0 to 9 for those of other scripts. */
export function withAsciiDigits(text: string): string {
	return text.replace(/[^\P{Nd}\d]/gu, asciiDigit);
}

/** In Unicode, the ten digits of a script follow each other, and so do scripts. */
function asciiDigit(digit: string): string {
	const codePoint = digit.codePointAt(0) ?? 0;
	let first = codePoint;
	while (/^\p{Nd}/u.test(String.fromCodePoint(first - 1))) first--;
	return String((codePoint - first) % 10);
}

/** A phone number as somebody has entered it. */
export interface EnteredNumber {
	/** What was entered, as `cleaned` gives it. */
	text: string;
	/**
	 * The digits, without punctuation; undefined when it is not a phone number. A leading 0 stays, because only the service knows the
	 * country.
	 */
	digits: string | undefined;
	/** Whether it begins with + or 00, so that its country code follows. */
	hasCountryCode: boolean;
	/** Whether it ends with decimals that cannot be told from its digits. */
	hasDecimals: boolean;
}

/** Reads a phone number, in any notation. */
export function readNumber(entered: string): EnteredNumber {
	// Most are, and campaigns have many.
	if (/^[1-9]\d{5,14}$/.test(entered))
		return { text: entered, digits: entered, hasCountryCode: false, hasDecimals: false };
	const text = cleaned(entered);
	const hasDecimals = !DECIMALS.test(text) && OTHER_DECIMALS.test(text);
	const number = text
		.replace(/^tel:/i, '')
		.replace(DECIMALS, '')
		.replace(SEPARATORS, '')
		.replace(NATIONAL_ZERO, '')
		.replace(/[()]/g, '');
	const digits = number.replace(/^(\+|00)/, '');
	const isNumber = !hasDecimals && !ADDITION.test(text) && /^0?[1-9]\d{5,14}$/.test(digits);
	return {
		text,
		digits: isNumber ? digits : undefined,
		hasCountryCode: /^(\+|00)[1-9]/.test(number),
		hasDecimals,
	};
}

/** The digits of a phone number, without punctuation; undefined when it is not a phone number. */
export function digitsOf(entered: string): string | undefined {
	return readNumber(entered).digits;
}

/**
 * A number in its shortest form. Mobile numbers of Brazil, Mexico and Argentina are in use with and without a digit after the country or area code. In Brazil, the
 * shorter form exists only for numbers that were mobile before the digit came.
 */
export function withoutOptionalDigits(number: string): string {
	return number
		.replace(/^(55\d\d)9([6-9]\d{7})$/, '$1$2')
		.replace(/^521(\d{10})$/, '52$1')
		.replace(/^549(\d{10})$/, '54$1');
}
