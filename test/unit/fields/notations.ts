/** Writes a number down. */
type Notation = (countryCode: string, national: string) => string;

const grouped = (digits: string, separator: string) => digits.replace(/(?<=^(\d{3})+)(?=\d)/g, separator);
const fullWidth = (text: string) =>
	text.replace(/[!-~]/g, (character) => String.fromCodePoint(character.charCodeAt(0) + 0xfee0));
const hex = (character: string) =>
	`U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;

/** What stands between groups of digits, dashes of every kind among it. */
const SEPARATORS = [
	...' \t\u00a0\u2009\u202f\u3000',
	...'-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d\u30fc',
	...'./\uff0e\uff0f',
];

/** What nobody sees: marks that phones put around copied numbers, and characters without a width. */
const INVISIBLE = [
	...'\u202a\u202b\u202c\u2066\u2067\u2068\u2069\u200e\u200f\u061c',
	...'\u200b\u200c\u200d\u2060\ufeff\u00ad',
];

/** How people write a number that names its country; all of it can stand in a list with commas. */
export const NOTATIONS: Array<[name: string, write: Notation]> = [
	['digits', (code, national) => `${code}${national}`],
	['a plus', (code, national) => `+${code}${national}`],
	['a plus and spaces', (code, national) => ` + ${code} ${grouped(national, ' ')} `],
	['the international prefix', (code, national) => `00${code}${national}`],
	['the international prefix and spaces', (code, national) => `00 ${code} ${grouped(national, ' ')}`],
	['the national zero in brackets', (code, national) => `+${code} (0)${grouped(national, ' ')}`],
	['the same after the international prefix', (code, national) => `00${code}(0) ${national}`],
	['the same without a plus', (code, national) => `${code} (0)${national}`],
	['the country code in brackets too', (code, national) => `(+${code}) (0) ${national}`],
	['the plus outside of them', (code, national) => `+(${code}) (0) ${national}`],
	['an area code in brackets', (code, national) => `+${code} (${national.slice(0, 2)}) ${national.slice(2)}`],
	['a link', (code, national) => `tel:+${code}-${grouped(national, '-')}`],
	['a link in capitals after a space', (code, national) => ` TEL:${code}${national}`],
	['a link after a mark', (code, national) => `\u202atel:+${code}${national}\u202c`],
	['a zero in brackets with a mark', (code, national) => `+${code}(\u200b0\u200b)${national}`],
	['full-width digits', (code, national) => fullWidth(`+${code}(0)${grouped(national, '-')}`)],
	...SEPARATORS.map((separator): [string, Notation] => [
		`${hex(separator)} between groups`,
		(code, national) => [`+${code}`, grouped(national, separator)].join(separator),
	]),
	...INVISIBLE.map((mark): [string, Notation] => [
		`${hex(mark)} around and within`,
		(code, national) => [mark, `+${code}`, grouped(national, ` ${mark}`), mark].join(mark),
	]),
];

/** A number of each length of a country code and of what follows it, some with a 0 at its beginning or end. */
export const NUMBERS: Array<[countryCode: string, national: string]> = [
	['1', '2684643817'],
	['1', '2258069720'],
	['53', '50144923'],
	['93', '753752929'],
	['57', '3044613773'],
	['54', '91140242639'],
	['290', '8115'],
	['247', '48633'],
	['376', '374285'],
	['297', '5606511'],
	['374', '77102846'],
	['241', '03403988'],
	['971', '525564284'],
	['242', '016310941'],
	['880', '1566440887'],
	['229', '0169200737'],
];
