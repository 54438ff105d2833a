import uniq from 'lodash/uniq';

import { InvalidInput, shown } from '../operation/input';
import type { Field } from '../operation/operation';
import { NUMBERING_PLANS, type NumberingPlan } from './numberingPlans';
import { digitsOf, hasCountryCode, normalizePhone } from './phoneNumber';

/** The country of the numbers that are entered without their country code. */
export const defaultCountryCode: Field = {
	displayName: 'Default Country Code',
	name: 'defaultCountryCode',
	type: 'string',
	default: '',
	placeholder: 'e.g. 90',
	description:
		'Country code of phone numbers that are entered without one, such as 0555 123 45 67. Numbers that begin with + or 00 keep their own code.',
	api: [],
	// Otherwise the message could go to a number of another country.
	mustResolve: true,
	toApi: (entered: string) => {
		const code = entered.trim().replace(/^(\+|00)/, '');
		if (planOf(code)) return { defaultCountryCode: code };
		throw new InvalidInput(
			`is not a country code: ${shown(entered)}`,
			'Enter the digits that numbers of the country begin with abroad, e.g. 90 for Turkey or 1 for the United States.',
		);
	},
};

/** The country code that the digits of a number begin with; undefined if no country has it. */
export function countryCodeIn(digits: string): string | undefined {
	// No country code begins with another one.
	return [1, 2, 3].map((length) => digits.slice(0, length)).find(planOf);
}

function planOf(countryCode: string): NumberingPlan | undefined {
	return Object.hasOwn(NUMBERING_PLANS, countryCode) ? NUMBERING_PLANS[countryCode] : undefined;
}

/** One way to read the digits of a number. */
interface Reading {
	/** With the country code. */
	number: string;
	isMobile: boolean;
}

/**
 * Completes a phone number (API spec, "What the service does" 7). Of a number with + or 00, only a 0 that is not dialed from
 * abroad is left out. Without a default country, a leading 0 stays, because the service knows the country.
 *
 * @param countryCode the default country; undefined if there is none
 * @returns the digits with country code, or with the leading 0
 * @throws InvalidInput when it is not a phone number, or when its country is uncertain
 */
export function completedNumber(entered: string, countryCode?: string): string {
	const digits = normalizePhone(entered);
	const number = numberWithCountryCode(entered);
	if (number !== undefined && (countryCode === undefined || hasCountryCode(entered))) return number;
	if (countryCode === undefined) {
		if (digits.startsWith('0')) return digits;
		throw new InvalidInput(
			`has no country code, or the wrong number of digits: ${shown(entered)}`,
			"Begin the number with + and its country code. For numbers without one, operations that send have the option 'Default Country Code'.",
		);
	}
	return withDefault(digits, countryCode, entered);
}

/**
 * The number by which the service names the chat with a phone number that has its country code. A 0 that is only dialed
 * within the country is left out. With + or 00, any country code is accepted.
 *
 * @returns undefined when no country has such numbers
 */
export function numberWithCountryCode(entered: string): string | undefined {
	const digits = digitsOf(entered);
	if (digits === undefined) return undefined;
	return internationalReading(digits)?.number ?? (hasCountryCode(entered) ? digits : undefined);
}

function withDefault(digits: string, countryCode: string, entered: string): string {
	const national = nationalReadings(digits, countryCode);
	const mobile = national.find(({ isMobile }) => isMobile);
	// A number of the own country is far more likely than a foreign one without +.
	if (mobile) return mobile.number;
	const international = internationalReading(digits);
	if (international?.isMobile && digits.startsWith(countryCode)) return international.number;
	const numbers = uniq([...national, ...(international ? [international] : [])].map(({ number }) => number));
	const [only] = numbers;
	if (only === undefined) {
		throw new InvalidInput(
			`fits neither the country code ${countryCode} nor any other: ${shown(entered)}`,
			'Check the digits. A number that begins with + and its country code is sent as it is.',
		);
	}
	if (numbers.length === 1) return only;
	throw new InvalidInput(
		`can be read as ${numbers.map((number) => `+${number}`).join(' or ')}: ${shown(entered)}`,
		'Begin the number with + and its country code.',
	);
}

/** The readings as a number within the country, with or without the prefix that is dialed there. */
function nationalReadings(digits: string, countryCode: string): Reading[] {
	const plan = planOf(countryCode);
	if (!plan) return [];
	const { trunkPrefix } = plan;
	const candidates: string[] = [];
	// In countries without such a prefix, such as Italy, a 0 is part of the number.
	if (trunkPrefix === undefined || !digits.startsWith('0')) candidates.push(digits);
	const dialed = withoutTrunkPrefix(plan, digits);
	if (dialed !== digits) candidates.push(dialed);
	return candidates
		.filter((number) => plan.lengths.includes(number.length))
		.map((number) => ({ number: countryCode + number, isMobile: isMobile(plan, number) }));
}

/** The reading as a number that begins with its country code; undefined when no country has numbers of that length. */
function internationalReading(digits: string): Reading | undefined {
	const code = countryCodeIn(digits) ?? '';
	const plan = planOf(code);
	const entered = digits.slice(code.length);
	// A 0 after the country code is only dialed within the country.
	const number = plan?.trunkPrefix?.includes('0') ? withoutTrunkPrefix(plan, entered) : entered;
	return plan?.lengths.includes(number.length)
		? { number: code + number, isMobile: isMobile(plan, number) }
		: undefined;
}

function withoutTrunkPrefix({ trunkPrefix }: NumberingPlan, digits: string): string {
	return digits.replace(RegExp(`^(${trunkPrefix ?? ''})`), '');
}

function isMobile({ mobile = {} }: NumberingPlan, number: string): boolean {
	const leadingDigits = mobile[number.length]?.split(' ') ?? [];
	return leadingDigits.some((start) => number.startsWith(start));
}
