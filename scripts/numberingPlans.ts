/**
 * Writes the table of numbering plans from the metadata of Google's libphonenumber, in the package libphonenumber-js:
 * `tsx scripts/numberingPlans.ts`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { format, resolveConfig } from 'prettier';

import { leadingDigits } from './leadingDigits';

/** One type of numbers: the pattern of the national number, and its possible lengths unless they are those of the region. */
type NumberType = [pattern: string, lengths?: Array<number | ''>] | 0 | undefined;

/** A region, as libphonenumber-js packs it. */
interface Region extends Array<unknown> {
	2: string;
	3: number[];
	5: string | 0;
	11: NumberType[];
}

interface Metadata {
	country_calling_codes: Record<string, string[]>;
	countries: Record<string, Region>;
	nonGeographic: Record<string, Region>;
}

const FIXED_LINE = 0;
const MOBILE = 1;
const PERSONAL = 4;
const VOIP = 8;

/** The types of numbers, beside mobile ones, that a person or a business can use on a messaging channel. */
const OTHERS = [FIXED_LINE, PERSONAL, VOIP];

/** Numbers that the metadata no longer lists: channels still name Mexican and Brazilian mobiles as in former times. */
const FURTHER_PATTERNS: Record<string, string[]> = { 52: ['1[2-9]\\d{9}'], 55: ['[1-9]{2}[6-9]\\d{7}'] };

/** Belarusians dial 80, and write it or only the 0. The metadata names the 8 alone. */
const TRUNK_PREFIXES: Record<string, string> = { 375: '80?|0' };

const root = join(__dirname, '..');

const isType = (type: NumberType): type is Exclude<NumberType, 0 | undefined> => Array.isArray(type);

function patternsOf(regions: Region[], types: number[]): string[] {
	return regions
		.flatMap((region) => types.map((index) => region[11][index]))
		.filter(isType)
		.map(([pattern]) => pattern)
		.filter((pattern) => pattern !== '');
}

/** In North America, the fourth digit is that of the exchange, and numbers are not known to be mobile. */
const NORTH_AMERICA = '1';

/** How many of the first digits count of mobile numbers that begin with an area code. */
const MOBILE_DIGITS: Record<string, number> = { 1: 4, 52: 3, 55: 3 };

function entryOf(code: string, regions: Region[]): object {
	const isNorthAmerica = code === NORTH_AMERICA;
	const digits = isNorthAmerica ? 4 : 3;
	// Countries open new ranges of mobile numbers within those that they have.
	const mobileDigits = MOBILE_DIGITS[code] ?? 2;
	const mobilePatterns = patternsOf(regions, isNorthAmerica ? [MOBILE, ...OTHERS] : [MOBILE]);
	const otherPatterns = [...patternsOf(regions, OTHERS), ...(FURTHER_PATTERNS[code] ?? [])];
	const mobile = leadingDigits(mobilePatterns, mobileDigits);
	const listed = leadingDigits(otherPatterns, digits, mobilePatterns);
	// Satellite and other worldwide services have types of their own.
	const all = regions.map((region) => region[2]);
	const others = mobile + listed === '' ? leadingDigits(all, digits) : listed;
	const trunkPrefix = TRUNK_PREFIXES[code] ?? regions[0]?.[5];
	return {
		...(mobile && { mobile }),
		...(others && { others }),
		...(trunkPrefix ? { trunkPrefix } : {}),
	};
}

async function main(): Promise<void> {
	const folder = join(root, 'node_modules', 'libphonenumber-js');
	const read = <T>(name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as T;
	const { version } = read<{ version: string }>('package.json');
	const metadata = read<Metadata>('metadata.max.json');
	const geographic = Object.entries(metadata.country_calling_codes).map(
		([code, names]) =>
			[code, names.map((name) => metadata.countries[name]).filter((region) => !!region)] as const,
	);
	const worldwide = Object.entries(metadata.nonGeographic).map(
		([code, region]) => [code, [region] as Region[]] as const,
	);
	const table = Object.fromEntries(
		[...geographic, ...worldwide].map(([code, regions]) => [code, entryOf(code, regions)]),
	);
	const source = `/** The numbers of the countries that share a country code. */
export interface NumberingPlan {
	/** How mobile numbers begin after the country code: lengths in digits, and a regular expression, e.g. \`9,10:(6[1-5]|97)\`. */
	mobile?: string;
	/** How other numbers begin that a channel can have. */
	others?: string;
	/** The pattern of what is dialed before a number within the country, and not from abroad. */
	trunkPrefix?: string;
}

/**
 * By country code. Written by scripts/numberingPlans.ts, from the metadata of libphonenumber-js ${version} (Google's
 * libphonenumber, Apache License 2.0).
 */
export const NUMBERING_PLANS: Readonly<Record<string, NumberingPlan>> = ${JSON.stringify(table).replace(/"(\d+)":/g, '$1:')};
`;
	const file = join(root, 'nodes', 'MessagingChannel', 'recipients', 'numberingPlans.ts');
	writeFileSync(file, await format(source, { ...(await resolveConfig(file)), filepath: file }));
}

void main();
