import examples from 'libphonenumber-js/examples.mobile.json';
import metadata from 'libphonenumber-js/metadata.max.json';

import { completedNumber } from '../../nodes/MessagingChannel/fields/recipient';
import { createRandom } from '../support/service/core/random';

const REGIONS =
	'US RU EG ZA NL FR ES IT CH GB DK SE PL DE MX AR BR CO AU ID PH SG JP KR CN TR IN PK NG SA'.split(' ');

/** Thirty countries. */
const regions = REGIONS as Array<keyof typeof metadata.countries>;

const codeOf = (region: keyof typeof metadata.countries): string => String(metadata.countries[region][0]);

/** Their codes. */
export const CODES: readonly string[] = regions.map(codeOf);

/** Google's own patterns, of which the package has only the first digits: of all numbers, and of each type. */
type Numbers = [pattern: string, lengths?: number[]];
const FIXED_LINE = 0;
const MOBILE = 1;

/**
 * Random mobile numbers of a country as a spreadsheet leaves them, without country code and leading 0.
 *
 * @param anyLength whether they have all lengths that are possible, and not only that of Google's example
 */
export function mobileNumbers(code: string, count: number, anyLength = false): string[] {
	const region = regions.find((each) => codeOf(each) === code) ?? 'US';
	const {
		[2]: all,
		[3]: allLengths,
		[11]: types,
	} = metadata.countries[region] as unknown as {
		2: string;
		3: number[];
		11: Numbers[];
	};
	// In North America, they look like those of landlines.
	const [pattern, own = allLengths] = (types[MOBILE]?.[0] ? types[MOBILE] : types[FIXED_LINE]) ?? [all];
	const lengths = anyLength ? own : [examples[region].length];
	const random = createRandom(4711 + Number(code)).next;
	const sixDigits = () => String(Math.floor(random() * 1e6)).padStart(6, '0');
	const fits = new RegExp(`^(?:${pattern})$`);
	const numbers: string[] = [];
	while (numbers.length < count) {
		const length = lengths[Math.floor(random() * lengths.length)] ?? 0;
		const number = (sixDigits() + sixDigits()).slice(-length);
		if (fits.test(number)) numbers.push(number);
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
