import { CODES, mobileNumbers, sharesOf } from './nationalNumbers';

/** Which numbers an account refuses without a +, by the codes of the account and of the number. Other pairs: none. */
const REFUSED = [
	['1', '45', '11.5 %'],
	['1', '65', '78.5 %'],
	['52', '45', '100.0 %'],
	['52', '65', '100.0 %'],
	['55', '7', '12.0 %'],
	['55', '45', '13.0 %'],
	['62', '81', '100.0 %'],
	['62', '82', '100.0 %'],
	['91', '65', '100.0 %'],
];

/**
 * What becomes of mobile numbers without their country code, by the code: the share that an account of the country sends, and refuses the
 * rest; the share that goes abroad if the account is not known; and the mean of those that accounts of the other countries send abroad.
 */
const WITHOUT_CODE: ReadonlyArray<
	[code: string, sent: string, abroadIfUnknown: string, abroadElsewhere: string]
> = [
	['1', '90.6 %', '9.4 %', '13.8 %'],
	['7', '96.9 %', '3.1 %', '18.2 %'],
	['20', '100.0 %', '0.0 %', '3.1 %'],
	['27', '99.6 %', '0.4 %', '10.9 %'],
	['31', '98.5 %', '1.5 %', '11.8 %'],
	['33', '99.2 %', '0.8 %', '11.4 %'],
	['34', '99.3 %', '0.7 %', '12.7 %'],
	['39', '81.3 %', '18.7 %', '20.5 %'],
	['41', '99.0 %', '1.0 %', '13.5 %'],
	['44', '100.0 %', '0.0 %', '10.2 %'],
	['45', '97.5 %', '2.5 %', '3.7 %'],
	['46', '100.0 %', '0.0 %', '12.8 %'],
	['48', '97.2 %', '2.8 %', '13.0 %'],
	['49', '50.6 %', '0.0 %', '4.0 %'],
	['52', '87.8 %', '12.2 %', '21.8 %'],
	['54', '65.5 %', '34.5 %', '37.9 %'],
	['55', '82.3 %', '17.7 %', '16.8 %'],
	['57', '91.5 %', '8.5 %', '21.2 %'],
	['61', '85.6 %', '14.4 %', '19.5 %'],
	['62', '95.8 %', '4.2 %', '6.4 %'],
	['63', '96.5 %', '3.5 %', '17.2 %'],
	['65', '99.1 %', '0.9 %', '4.3 %'],
	['81', '88.6 %', '11.4 %', '25.0 %'],
	['82', '100.0 %', '0.0 %', '3.2 %'],
	['86', '52.0 %', '0.0 %', '2.9 %'],
	['90', '88.7 %', '11.3 %', '17.0 %'],
	['91', '93.5 %', '6.5 %', '17.7 %'],
	['92', '89.2 %', '10.8 %', '17.1 %'],
	['234', '100.0 %', '0.0 %', '13.6 %'],
	['966', '96.1 %', '3.9 %', '10.4 %'],
];

const numbers = new Map(CODES.map((code) => [code, mobileNumbers(code, 2000)]));

const percent = (share: number) => (share > 0 && share < 0.001 ? '<0.1 %' : `${(share * 100).toFixed(1)} %`);
const national = (code: string, ofCountry = numbers.get(code) ?? []) =>
	ofCountry.map((number): [string, string] => [number, code + number]);
const international = (code: string) =>
	(numbers.get(code) ?? []).slice(0, 200).map((number): [string, string] => [code + number, code + number]);

test.each(WITHOUT_CODE)('mobile numbers of the country %s without its code', (code, ...shares) => {
	const own = sharesOf(national(code), code);
	const others = CODES.filter((other) => other !== code);
	const sample = national(code).slice(0, 100);
	const abroad = others.map((home) => sharesOf(sample, home).abroad);
	const mean = abroad.reduce((sum, share) => sum + share, 0) / others.length;
	const unknown = sharesOf(national(code));

	// Nobody abroad gets the message of a number of the account's own country.
	expect(own.abroad).toBe(0);
	expect(sharesOf(national(code, mobileNumbers(code, 300, true)), code).abroad).toBe(0);
	// Without the account, nothing says that a number is national.
	expect(unknown.right).toBe(0);
	expect([own.right, unknown.abroad, mean].map(percent)).toEqual(shares);
});

test('mobile numbers with their country code are refused only for some pairs of countries, and never changed', () => {
	const refused = CODES.flatMap((home) =>
		CODES.flatMap((code) => {
			const shares = sharesOf(international(code), home);
			expect(shares.abroad).toBe(0);
			if (home === code) expect(shares.refused).toBe(0);
			return shares.refused > 0 && code !== '1' ? [[home, code, percent(shares.refused)]] : [];
		}),
	);
	expect(refused).toEqual(REFUSED);
	// Numbers of North America need a + for everybody else.
	expect(sharesOf(international('1'), '90')).toEqual({ right: 0, refused: expect.closeTo(1), abroad: 0 });
	expect(sharesOf(international('1'), '1').right).toBeCloseTo(1);
});
