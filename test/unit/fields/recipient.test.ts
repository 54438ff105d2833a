// cspell:ignore abcxyz ABCXY Zéßş
import fc from 'fast-check';

import { normalizePhone } from '../../../nodes/MessagingChannel/fields/recipient';
import { InvalidInput } from '../../../nodes/MessagingChannel/operation/input';
import { cleaned } from '../../../nodes/MessagingChannel/recipients/phoneNumber';
import { refusal } from './refusal';

describe('a number in any notation gives its digits', () => {
	test('with tabs and line breaks, as lists cannot have them', () => {
		expect(normalizePhone('+90\t555\n1234567\n')).toBe('905551234567');
	});

	test('as spreadsheets and CSV files write a number that they read as an amount', () => {
		expect(normalizePhone('905551234567.0')).toBe('905551234567');
		expect(normalizePhone(' +905551234567.0 ')).toBe('905551234567');
		expect(normalizePhone('905551234567.00')).toBe('905551234567');
	});

	const punctuation = fc.string({
		unit: fc.constantFrom(' ', '-', '.', '/', '(', ')', '\u00a0', '\u2011', '\u200b', '\u202a', '\t'),
		maxLength: 3,
	});
	const number = fc.stringMatching(/^[1-9]\d{6,14}$/);
	const prefix = fc.constantFrom('', '+', '00', 'tel:', 'tel:+');

	test('whatever punctuation stands between them', () => {
		fc.assert(
			fc.property(number, prefix, fc.infiniteStream(punctuation), (digits, before, between) => {
				const written = [...digits].map((digit) => `${digit}${between.next().value}`).join('');
				// A 0 alone in brackets is not dialled, whatever stands beside it there.
				fc.pre(!/\(\D*0\D*\)/.test(written));
				// The decimal of an amount is no digit of a number.
				fc.pre(!/\.(\d{1,2}|0+)$/.test(cleaned(written)));
				// What stands behind a number is none either.
				fc.pre(!/\(\d{1,4}\)$|\/\s*\d{1,3}$/.test(cleaned(written)));
				expect(normalizePhone(before + written)).toBe(digits);
			}),
			{ numRuns: 1000 },
		);
	});

	test('and its digits stay what they are', () => {
		fc.assert(fc.property(number, (digits) => expect(normalizePhone(digits)).toBe(digits)));
	});
});

test.each([
	['06.12.34.56.00', '0612345600'],
	['+1.225.806.972.0', '12258069720'],
	['\u200f٩٠ ٥٥٥ ١٢٣ ٤٥ ٦٧', '905551234567'],
	['۰۵۵۵۱۲۳۴۵۶۷', '05551234567'],
	['९०५५५१२३४५६७', '905551234567'],
])('%j has no decimals, and its digits are %j', (entered, digits) => {
	expect(normalizePhone(entered)).toBe(digits);
});

test('the digits of every script are understood', () => {
	const digits = Array.from({ length: 0x110000 }, (_, codePoint) => codePoint)
		.filter((codePoint) => codePoint < 0xd800 || codePoint > 0xdfff)
		.map((codePoint) => String.fromCodePoint(codePoint))
		.filter((character) => /\p{Nd}/u.test(character));
	expect(digits.map(cleaned).join('')).toBe('0123456789'.repeat(digits.length / 10));
});

test('a letter and its accent become one character, as copying may take them apart', () => {
	expect(cleaned('Zoe\u0308')).toBe('Zo\u00eb');
});

test.each([
	['0555 123 45 67', '05551234567'],
	['(0555) 1234567', '05551234567'],
	['(0) 555 123 45 67', '05551234567'],
	['+0555 123 45 67', '05551234567'],
])(
	'the leading 0 of %j stays, because only the service knows the country that it stands for',
	(entered, digits) => {
		expect(normalizePhone(entered)).toBe(digits);
	},
);

test.each([
	['+39 (0)6 1234 5678', '390612345678'],
	['(+39) (0) 6 1234 5678', '390612345678'],
	['+39 (0)333 123 4567', '393331234567'],
	['+239 (0)991 2345', '2399912345'],
])('the 0 in brackets of %j is part of the number only for a landline in Italy', (entered, digits) => {
	expect(normalizePhone(entered)).toBe(digits);
});

test('a 0 in brackets that is not after a country code is one of the digits', () => {
	expect(normalizePhone('+90 555 (0) 12 34 56')).toBe('905550123456');
});

describe('anything else is refused', () => {
	const AS_TEXT = 'Format the column as text in the spreadsheet, and enter the numbers again';

	test.each<[string, string, string]>([
		...[
			...['', '   ', 'Ada', 'Ada\tLovelace', '+', 'tel:', '../account'],
			...['12345', '1234567890123456', '00000000', '90 555+123 45 67', '++905551234567'],
			...['+90 555 123 45 67 ext. 8', '905551234567;ext=8', '905551234567, 905551234568'],
			...['90555tel:1234567', '905551234567\u00b2', '905551234567 \u2460'],
		].map((entered): [string, string, string] => [
			entered,
			'is not a valid phone number',
			'Enter the number with its country code',
		]),
		['905551234567@c.us', 'is a chat ID, not a phone number', 'The trigger puts it out as chat.phone'],
		...['5.551.234.567.00', '90.555.123.45.67.0', '905551234567.5', '905551234567.000'].map(
			(entered): [string, string, string] => [
				entered,
				'ends with decimals, as a spreadsheet writes amounts',
				'Format the column as text',
			],
		),
		...['5.55E+11', '5.55e11', '9,05551E+11', ' 9E+11 '].map((entered): [string, string, string] => [
			entered,
			'is a number that a spreadsheet has rounded',
			AS_TEXT,
		]),
		// A sheet takes `+90-5551234567` for a subtraction.
		...['-5551234477', ' -905551234477.0', '\u22125551234477'].map((entered): [string, string, string] => [
			entered,
			'is a negative number, which a spreadsheet has calculated',
			AS_TEXT,
		]),
		...[
			['90555\u00001234567', 'U+0000'],
			['\u034f905551234567', 'U+034F'],
			['90555\u{1d173}\u2800x1234567', 'U+2800'],
		].map(([entered = '', name]): [string, string, string] => [
			entered,
			`contains the hidden character ${name}`,
			'Type the number again instead of copying it.',
		]),
	])('%j %s', (entered, problem, advice) => {
		expect(() => normalizePhone(entered)).toThrow(refusal(`${problem}: '${entered}'`, advice));
	});

	test('text with a letter', () => {
		const letter = fc.constantFrom(...'abcxyzABCXYZéßşИ中');
		fc.assert(
			fc.property(fc.stringMatching(/^\d{7,12}$/), letter, fc.nat(), (digits, odd, at) => {
				const position = at % (digits.length + 1);
				const entered = digits.slice(0, position) + odd + digits.slice(position);
				expect(() => normalizePhone(entered)).toThrow(InvalidInput);
			}),
		);
	});

	test('and always with an explanation', () => {
		fc.assert(
			fc.property(fc.array(fc.nat(0x10ffff)), (codePoints) => {
				const entered = String.fromCodePoint(...codePoints);
				try {
					expect(normalizePhone(entered)).toMatch(/^\d+$/);
				} catch (error) {
					expect(error).toBeInstanceOf(InvalidInput);
				}
			}),
		);
	});

	test('and a long text is shown in part', () => {
		expect(() => normalizePhone('x'.repeat(500))).toThrow(
			`is not a valid phone number: '${'x'.repeat(80)}…'`,
		);
	});
});
