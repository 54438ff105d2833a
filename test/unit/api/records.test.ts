import { recordsOf } from '../../../nodes/MessagingChannel/api/values';

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
