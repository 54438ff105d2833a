import { completedNumber } from '../../../nodes/MessagingChannel/fields/countryCode';
import { NUMBERING_PLANS } from '../../../nodes/MessagingChannel/recipients/numberingPlans';

/** Thirty countries by their codes. */
export const COUNTRIES: Record<string, string> = {
	1: 'United States, Canada',
	7: 'Russia, Kazakhstan',
	20: 'Egypt',
	27: 'South Africa',
	31: 'Netherlands',
	33: 'France',
	34: 'Spain',
	39: 'Italy',
	41: 'Switzerland',
	44: 'United Kingdom',
	45: 'Denmark',
	46: 'Sweden',
	48: 'Poland',
	49: 'Germany',
	52: 'Mexico',
	54: 'Argentina',
	55: 'Brazil',
	57: 'Colombia',
	61: 'Australia',
	62: 'Indonesia',
	63: 'Philippines',
	65: 'Singapore',
	81: 'Japan',
	82: 'South Korea',
	86: 'China',
	90: 'Turkey',
	91: 'India',
	92: 'Pakistan',
	234: 'Nigeria',
	966: 'Saudi Arabia',
};

/** The length that mobile numbers have today, where the plan has several. */
const LENGTHS: Record<string, number> = {
	27: 9,
	39: 10,
	82: 10,
	45: 8,
	49: 11,
	54: 11,
	55: 11,
	62: 11,
	234: 10,
};

/** Numbers between 0 and 1, always the same ones (mulberry32). */
function seededRandom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

/** Random mobile numbers of a country as a spreadsheet leaves them, without country code and leading 0. */
export function mobileNumbers(code: string, count: number): string[] {
	const plans = (NUMBERING_PLANS[code]?.mobile ?? '').split(' ').map((part) => part.split(':'));
	const [, starts = ''] =
		plans.find(([lengths = '']) => !LENGTHS[code] || lengths.split(',').includes(String(LENGTHS[code]))) ??
		[];
	const length = LENGTHS[code] ?? Number(plans[0]?.[0]?.split(',')[0]);
	const random = seededRandom(4711 + Number(code));
	const fits = new RegExp(`^${starts}`);
	const numbers: string[] = [];
	while (numbers.length < count) {
		const number = Array.from({ length }, () => Math.floor(random() * 10)).join('');
		if (fits.test(number) && !number.startsWith('0')) numbers.push(number);
	}
	return numbers;
}

/** How numbers are read: as the own ones, refused, or as somebody else's. Parts of 1. */
export interface Shares {
	right: number;
	refused: number;
	abroad: number;
}

/**
 * How an account reads numbers.
 *
 * @param entered the number as it is entered, and with its country code
 * @param home the country code of the account; undefined if it is not known
 */
export function sharesOf(entered: ReadonlyArray<[text: string, number: string]>, home?: string): Shares {
	const shares: Shares = { right: 0, refused: 0, abroad: 0 };
	for (const [text, number] of entered) shares[readingOf(text, number, home)] += 1 / entered.length;
	return shares;
}

function readingOf(text: string, number: string, home?: string): keyof Shares {
	try {
		const read = completedNumber(text, { accountCountryCode: () => home });
		return read === number ? 'right' : 'abroad';
	} catch {
		return 'refused';
	}
}
