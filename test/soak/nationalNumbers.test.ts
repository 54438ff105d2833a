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

const numbers = new Map(CODES.map((code) => [code, mobileNumbers(code, 2000)]));

const percent = (share: number) => (share > 0 && share < 0.001 ? '<0.1 %' : `${(share * 100).toFixed(1)} %`);
const national = (code: string, ofCountry = numbers.get(code) ?? []) =>
	ofCountry.map((number): [string, string] => [number, code + number]);
const international = (code: string) =>
	(numbers.get(code) ?? []).slice(0, 200).map((number): [string, string] => [code + number, code + number]);

test.each(CODES)('mobile numbers of the country %s without its code are completed or refused', (code) => {
	const own = sharesOf(national(code), code);

	// Nobody abroad gets the message of a number of the account's own country.
	expect(own.abroad).toBe(0);
	expect(own.right).toBeGreaterThan(0.5);
	expect(sharesOf(national(code, mobileNumbers(code, 300, true)), code).abroad).toBe(0);
	// Without the account, nothing says that a number is national.
	const unknown = sharesOf(national(code));
	expect(unknown.right).toBe(0);
	expect(unknown.abroad).toBeLessThan(0.35);
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
