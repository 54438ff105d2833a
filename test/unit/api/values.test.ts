import { isExact, isOn, nonEmptyText, recordsOf } from '../../../nodes/MessagingChannel/api/values';

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

test.each([
	['the records of a list', { success: true, data: [{ id: 1 }, { id: 2 }] }, [{ id: 1 }, { id: 2 }]],
	['the one record', { success: true, data: { id: 1 } }, [{ id: 1 }]],
	[
		'the fields beside success',
		{ success: true, valid: true, warnings: [] },
		[{ valid: true, warnings: [] }],
	],
	['none of an empty list', { success: true, data: [], pagination: { total: 0 } }, []],
	['none of null', { success: true, data: null }, []],
	['one without fields', { success: true }, [{}]],
	['not the pages of a list that is missing', { success: true, pagination: { total: 1 } }, [{}]],
	[
		'plain values, each under value',
		{ success: true, data: ['a', 7, null] },
		[{ value: 'a' }, { value: 7 }, { value: null }],
	],
	['lists in a list, each under value', { success: true, data: [['a']] }, [{ value: ['a'] }]],
	['a plain value under value', { success: true, data: 42 }, [{ value: 42 }]],
])('%s', (_, answer, records) => {
	expect(recordsOf(answer)).toEqual(records);
});

test('an answer is left as it was', () => {
	const answer = { success: true, valid: true };
	recordsOf(answer);
	expect(answer).toEqual({ success: true, valid: true });
});
