/** The entities from U+00A0 to U+00BF, in their order. */
const LATIN_1_SIGNS =
	'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest';

/** The signs of Markdown and HTML, and those that office programs and web pages use. */
const OTHERS: Record<string, string> = {
	...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", ast: '*', lowbar: '_', grave: '`', num: '#' },
	...{ ndash: '–', mdash: '—', lsquo: '‘', rsquo: '’', sbquo: '‚', ldquo: '“', rdquo: '”', bdquo: '„' },
	...{ lsaquo: '‹', rsaquo: '›', hellip: '…', bull: '•', dagger: '†', euro: '€', trade: '™', permil: '‰' },
	...{ times: '×', divide: '÷', minus: '−', ne: '≠', le: '≤', ge: '≥', asymp: '≈', infin: '∞' },
	...{ larr: '←', uarr: '↑', rarr: '→', darr: '↓', harr: '↔', check: '✓', cross: '✗', star: '☆' },
	...{ szlig: 'ß', aelig: 'æ', AElig: 'Æ', oelig: 'œ', OElig: 'Œ', oslash: 'ø', Oslash: 'Ø', inodot: 'ı' },
	...{ eth: 'ð', ETH: 'Ð', thorn: 'þ', THORN: 'Þ', lstrok: 'ł', Lstrok: 'Ł', dstrok: 'đ', Dstrok: 'Đ' },
	...{ ensp: '\u2002', emsp: '\u2003', thinsp: '\u2009', zwnj: '\u200c', zwj: '\u200d', lrm: '\u200e' },
	rlm: '\u200f',
};

const NAMED = new Map([
	...LATIN_1_SIGNS.split(' ').map((name, index) => [name, String.fromCharCode(0xa0 + index)] as const),
	...Object.entries(OTHERS),
]);

/** The marks on a letter, e.g. of `&uuml;`, as combining characters. */
const DIACRITICS: Record<string, string> = {
	...{ grave: '\u0300', acute: '\u0301', circ: '\u0302', tilde: '\u0303', breve: '\u0306', dot: '\u0307' },
	...{ uml: '\u0308', ring: '\u030a', dblac: '\u030b', caron: '\u030c', cedil: '\u0327', ogon: '\u0328' },
};

/**
 * The character that an HTML entity stands for: one with a number, a letter with a diacritic, or a common sign. All 2,231
 * names of HTML would be more than the rest of the package's texts.
 *
 * @param entity with its ampersand and semicolon
 * @returns the entity itself, if it is another one
 */
export function decodedEntity(entity: string): string {
	const [, hex, decimal] = /^&#(?:x([\da-f]{1,6})|(\d{1,7}));$/i.exec(entity) ?? [];
	if (hex ?? decimal) return characterOf(hex ? parseInt(hex, 16) : Number(decimal));
	const name = entity.slice(1, -1);
	const letter = (name.charAt(0) + (DIACRITICS[name.slice(1)] ?? '')).normalize('NFC');
	return NAMED.get(name) ?? (name.length > 1 && letter.length === 1 && letter > '\x7f' ? letter : entity);
}

/** As HTML has it, what is no character is a replacement character. */
function characterOf(code: number): string {
	const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
	return isCharacter ? String.fromCodePoint(code) : '\ufffd';
}
