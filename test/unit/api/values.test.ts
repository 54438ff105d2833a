import { isExact, isOn, nonEmptyText } from '../../../nodes/MessagingChannel/api/values';

test.each([false, 'false', ' False\n', 0, '0', ' 0 ', '', ' ', null, undefined])(
	'%j turns a switch off',
	(value) => {
		expect(isOn(value)).toBe(false);
	},
);

test.each([true, 'true', ' true ', 1, '1', 'no'])('%j turns it on', (value) => {
	expect(isOn(value)).toBe(true);
});

test.each([
	['a', 'a'],
	[' ', ' '],
	['', undefined],
	[5, undefined],
	[null, undefined],
])('of %j, the text is %j', (value, text) => {
	expect(nonEmptyText(value)).toBe(text);
});

test.each([0, -1.5, 1e-7, Number.MAX_SAFE_INTEGER, 123456789.25])(
	'%d has the digits that were written',
	(number) => {
		expect(isExact(number)).toBe(true);
	},
);

test.each([NaN, Infinity, -Infinity, Number.MAX_SAFE_INTEGER + 1, 1e21])('%d may be rounded', (number) => {
	expect(isExact(number)).toBe(false);
});
