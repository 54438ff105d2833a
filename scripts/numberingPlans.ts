/**
 * Writes the table of numbering plans from the metadata of Google's libphonenumber, in the package libphonenumber-js. n8n depends
 * on it, so `npm start` has installed it: `tsx scripts/numberingPlans.ts .n8n/<version>/node_modules/.pnpm/<its folder>`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { format, resolveConfig } from 'prettier';

import { leadingDigits } from './leadingDigits';

/** One type of numbers: the pattern of the national number, and its possible lengths unless they are those of the region. */
type NumberType = [pattern: string, lengths?: Array<number | ''>] | 0 | undefined;

/** A region, as libphonenumber-js packs it. */
interface Region extends Array<unknown> {
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

/** The types of numbers that a person or a business can use on a messaging channel. */
const REACHABLE = [FIXED_LINE, MOBILE, PERSONAL, VOIP];

/** Lengths that the metadata no longer lists: channels still name Mexican mobiles with the 1 of former times. */
const FURTHER_LENGTHS: Record<string, number[]> = { 52: [11] };

/** Belarusians dial 80, and write it or only the 0. The metadata names the 8 alone. */
const TRUNK_PREFIXES: Record<string, string> = { 375: '80?|0' };

/** The metadata has all area codes of the North American plan, and does not distinguish mobile numbers there. */
const MOBILE_PATTERNS: Record<string, string[]> = { 1: ['[2-9]\\d{9}'] };

const root = join(__dirname, '..');

const isType = (type: NumberType): type is Exclude<NumberType, 0 | undefined> => Array.isArray(type);

function lengthsOf(region: Region): number[] {
	return REACHABLE.map((index) => region[11][index])
		.filter(isType)
		.flatMap(([, lengths]) => lengths ?? region[3])
		.filter((length) => typeof length === 'number');
}

function mobilePatternOf(region: Region): string[] {
	const mobile = region[11][MOBILE];
	return isType(mobile) && mobile[0] !== '' ? [mobile[0]] : [];
}

function entryOf(code: string, regions: Region[]): object {
	const listed = [...regions.flatMap(lengthsOf), ...(FURTHER_LENGTHS[code] ?? [])];
	// Satellite and other worldwide services have types of their own.
	const lengths = [...new Set(listed.length > 0 ? listed : regions.flatMap((region) => region[3]))];
	const mobile = MOBILE_PATTERNS[code] ?? regions.flatMap(mobilePatternOf);
	const trunkPrefix = TRUNK_PREFIXES[code] ?? regions[0]?.[5];
	return {
		lengths: lengths.sort((one, other) => one - other),
		...(mobile.length > 0 ? { mobile: leadingDigits(mobile) } : {}),
		...(trunkPrefix ? { trunkPrefix } : {}),
	};
}

async function main(installed: string): Promise<void> {
	const folder = join(installed, 'node_modules', 'libphonenumber-js');
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
	/** The possible lengths of a number without its country code, in digits. */
	lengths: readonly number[];
	/** The first digits of mobile numbers without their country code, by length. */
	mobile?: Readonly<Record<number, string>>;
	/** The pattern of what is dialed before a number within the country, and not from abroad. */
	trunkPrefix?: string;
}

/**
 * By country code. Written by scripts/numberingPlans.ts, from the metadata of libphonenumber-js ${version} (Google's
 * libphonenumber, Apache License 2.0).
 */
export const NUMBERING_PLANS: Readonly<Record<string, NumberingPlan>> = ${JSON.stringify(table).replace(/"(\d+)":/g, '$1:')};
`;
	const file = join(root, 'nodes', 'MessagingChannel', 'fields', 'numberingPlans.ts');
	writeFileSync(file, await format(source, { ...(await resolveConfig(file)), filepath: file }));
}

void main(process.argv[2] ?? '');
