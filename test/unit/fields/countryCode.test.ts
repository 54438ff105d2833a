import fc from 'fast-check';

import {
	completedNumber as completed,
	defaultCountryCode,
	recipientOf,
} from '../../../nodes/MessagingChannel/fields/recipient';
import { numberWithCountryCode } from '../../../nodes/MessagingChannel/recipients/phoneNumber';
import { NUMBERING_PLANS } from '../../../nodes/MessagingChannel/recipients/numberingPlans';
import { refusal } from './refusal';

const completedNumber = (entered: string, code?: string) =>
	completed(entered, code === undefined ? {} : { defaultCountryCode: code });

describe('with a default country', () => {
	test.each([
		['90', '5551234567', '905551234567', 'the mobile number of a sheet that dropped the 0'],
		['90', '0555 123 45 67', '905551234567', 'a number with the 0'],
		['90', '5320012345', '905320012345', 'a number with 00 within it'],
		['90', '+0555 123 45 67', '905551234567', 'a + before the 0'],
		['90', '2125551234', '902125551234', 'a landline; no number of Morocco (212) is as short'],
		['90', '5351234567', '905351234567', 'a mobile number, although Cuba (53) has such numbers'],
		['90', '905551234567', '905551234567', 'a number with the code'],
		['90', '+49 1511 2345678', '4915112345678', 'a foreign number'],
		['90', '4915112345678', '4915112345678', 'a foreign number without +'],
		['90', '49 0151 12345678', '4915112345678', 'a foreign number with the 0 that is dialed there'],
		['90', '90 0555 123 45 67', '905551234567', 'a number with both the code and the 0'],
		['49', '49 0151 12345678', '4915112345678', 'the same in Germany, where longer landlines would fit'],
		['91', '91234 56789', '919123456789', 'an Indian mobile that begins like its code'],
		['91', '919123456789', '919123456789', 'an Indian mobile with its code'],
		['39', '393 123 4567', '393931234567', 'an Italian mobile that begins like its code'],
		['39', '39333123456', '39333123456', 'an old, shorter one with its code'],
		['39', '06 1234 5678', '390612345678', 'an Italian landline, whose 0 stays'],
		['225', '07 07 12 34 56', '2250707123456', 'a mobile of Ivory Coast, whose 0 stays'],
		['49', '15112345678', '4915112345678', 'a German mobile, although +1 511 has such numbers'],
		['49', '4915112345678', '4915112345678', 'a German mobile with its code; landlines can be as long'],
		['62', '62812345678', '62812345678', 'an Indonesian mobile with its code; landlines can be as long'],
		['20', '53512345', '2053512345', 'an Egyptian landline; no number of Cuba (53) begins so'],
		['1', '2025550123', '12025550123', 'an American number, although Egypt (20) has such numbers'],
		['1', '12025550123', '12025550123', 'an American number with the 1, which is both code and prefix'],
		['7', '8 916 123-45-67', '79161234567', 'a Russian number with the 8 that is dialed there'],
		['375', '8 029 491-19-11', '375294911911', 'a Belarusian number with the 80 that is dialed there'],
		['375', '(029) 491-19-11', '375294911911', 'the same without the 8'],
		['375', '8 29 491 19 11', '375294911911', 'the same without the 0'],
		['375', '29 491 19 11', '375294911911', 'the same without both'],
		['36', '06 30 123 4567', '36301234567', 'a Hungarian number with the 06 that is dialed there'],
		['52', '52 1 55 1234 5678', '5215512345678', 'a Mexican mobile with the 1 of former times'],
		['55', '55987654321', '5555987654321', 'a Brazilian mobile of area 55'],
		['55', '5511987654321', '5511987654321', 'a Brazilian mobile with its code'],
		['47', '47912345', '4747912345', 'a Norwegian mobile that begins like its code'],
	])('%s: %s is %s, %s', (code, entered, number) => {
		expect(completedNumber(entered, code)).toBe(number);
	});

	test.each([
		['49', '905321234567', '+49905321234567 or +905321234567'],
		['49', '4930123456', '+494930123456 or +4930123456'],
	])('%s: %s is refused, because both readings fit', (code, entered, readings) => {
		expect(() => completedNumber(entered, code)).toThrow(
			refusal(`can be read as ${readings}: '${entered}'`, 'Begin the number with + and its country code.'),
		);
	});

	test.each([
		['90', '55512345'],
		['90', '0555 123 45 6'],
		['90', '0905551234567'],
		['36', '0301234567'],
		['7', '0912345678'],
		['34', '0612345678'],
		['999', '55512345'],
	])('%s: %s fits no country', (code, entered) => {
		expect(() => completedNumber(entered, code)).toThrow(
			refusal(`fits neither the country code ${code} nor any other: '${entered}'`, 'Check the digits.'),
		);
	});

	test('a number with + is taken as it is, whatever its length', () => {
		expect(completedNumber('+90 555 123', '90')).toBe('90555123');
		expect(completedNumber('+5551234567', '90')).toBe('5551234567');
	});

	test.each([undefined, '90'])(
		'after a + and a country code, only a 0 that belongs to the number is sent',
		(own) => {
			expect(completedNumber('+49 0151 12345678', own)).toBe('4915112345678');
			expect(completedNumber('0044 07911 123456', own)).toBe('447911123456');
			expect(completedNumber('+375 (029) 491-19-11', own)).toBe('375294911911');
			expect(completedNumber('+375 80 29 491 19 11', own)).toBe('375294911911');
			expect(completedNumber('+375 80 123 45 67', own)).toBe('375801234567');
			expect(completedNumber('+36 06 30 123 4567', own)).toBe('36301234567');
			expect(completedNumber('+7 812 345 67 89', own)).toBe('78123456789');
			expect(completedNumber('+7 8 916 123-45-67', own)).toBe('789161234567');
			expect(completedNumber('+39 06 1234 5678', own)).toBe('390612345678');
			expect(completedNumber('+49 0151', own)).toBe('490151');
			expect(completedNumber('+999 012345678', own)).toBe('999012345678');
		},
	);

	test('a chat ID stays as it is', () => {
		expect(recipientOf('5551234567@c.us', { defaultCountryCode: '90' })).toBe('5551234567@c.us');
	});

	/** The code, the first digits and the length of mobile numbers that are long enough to be entered without their code. */
	const mobiles = Object.entries(NUMBERING_PLANS).flatMap(([code, { mobile = '' }]) =>
		mobile
			.split(' ')
			.map((part) => part.split(':'))
			.flatMap(([lengths = '', starts = '']) =>
				lengths.split(',').map((length) => ({ code, starts, length: Number(length) })),
			),
	);
	const anyMobile = fc
		.constantFrom(...mobiles.filter(({ length }) => length > 5))
		.chain(({ code, starts, length }) =>
			fc.stringMatching(new RegExp(`^${starts}\\d{12}$`)).map((digits) => ({
				code,
				number: digits.slice(0, length),
			})),
		)
		.filter(({ number }) => number.length > 5);

	test('a mobile number of the country gets its code, in every country', () => {
		fc.assert(
			fc.property(anyMobile, ({ code, number }) => {
				// In Italy and a few others, where a 0 or the prefix begins numbers, it is part of them.
				const { trunkPrefix } = NUMBERING_PLANS[code] ?? {};
				fc.pre(!number.startsWith('00') && !number.startsWith(trunkPrefix ?? '00'));
				expect(completedNumber(number, code)).toBe(code + number);
			}),
			{ numRuns: 2000 },
		);
	});

	test('a number with + keeps its code, in every country', () => {
		fc.assert(
			fc.property(anyMobile, fc.constantFrom(...Object.keys(NUMBERING_PLANS)), ({ code, number }, own) => {
				expect(completedNumber(`+${code}${number}`, own)).toBe(code + number);
			}),
		);
	});
});

test.each([
	['905551234567', '905551234567'],
	['+49 0151 12345678', '4915112345678'],
	['+999 12345678', '99912345678'],
	['123', undefined],
	['Ada', undefined],
])('the chat of %s is that of %s', (entered, number) => {
	expect(numberWithCountryCode(entered)).toBe(number);
});

describe('without a default country', () => {
	test.each([
		['905551234567', '905551234567'],
		['0555 123 45 67', '05551234567'],
		['870773111632', '870773111632'],
		['49 0151 12345678', '4915112345678'],
		['39 06 1234 5678', '390612345678'],
	])('%s is sent as %s', (entered, digits) => {
		expect(completedNumber(entered)).toBe(digits);
	});

	test.each(['5551234567', '90555123456', '9055512345678', '2999999999', '89161234567'])(
		'%s is refused, because no country has such a number',
		(entered) => {
			expect(() => completedNumber(entered)).toThrow(
				refusal(
					`has no country code, or the wrong number of digits: '${entered}'`,
					'Begin the number with + and its country code.',
				),
			);
			expect(completedNumber(`+${entered}`)).toBe(entered);
		},
	);
});

describe('the option', () => {
	const read = (entered: string) => defaultCountryCode.toApi?.(entered as never, {});

	test.each(['90', '+90', '0090', ' 90 ', '٩٠\u200b'])('takes %j', (entered) => {
		expect(read(entered)).toEqual({ defaultCountryCode: '90' });
	});

	test.each(['TR', '0', '99999', '9 0', '9+0', 'toString'])('refuses %j', (entered) => {
		expect(() => read(entered)).toThrow(
			refusal(
				`is not a country code: '${entered}'`,
				'Enter the digits that numbers of the country begin with',
			),
		);
	});
});

test('no country code begins with another one', () => {
	const codes = Object.keys(NUMBERING_PLANS);
	expect(codes.length).toBeGreaterThan(200);
	expect(codes.filter((code) => codes.some((other) => other !== code && code.startsWith(other)))).toEqual([]);
});
