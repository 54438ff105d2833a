import { exactObject, inexactNumber } from '../../../nodes/MessagingChannel/operation/input';

const TOO_LONG = 2 ** 53;

test.each([
	[{ id: TOO_LONG }, " in the field 'id'"],
	[{ crm_2: TOO_LONG }, " in the field 'crm_2'"],
	[{ '2nd_id': TOO_LONG }, " in the field '2nd_id'"],
	[{ ids: [TOO_LONG] }, ''],
	[{ ids: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, TOO_LONG] }, ''],
])(
	'a number whose last digits are lost is refused with its field, not with its place in a list: %j',
	(object, place) => {
		expect(() => exactObject(object)).toThrow(`has a number whose last digits are lost${place}: ${TOO_LONG}`);
	},
);

test.each([
	[{ plan: undefined }, " in the field 'plan'"],
	[{ plans: ['a', undefined] }, ''],
])('a field without a value is refused, as it would not be sent: %j', (object, place) => {
	expect(() => exactObject(object)).toThrow(`has an expression that gives nothing${place}`);
	expect(exactObject({ plan: null, note: '' })).toEqual({ plan: null, note: '' });
});

test('the result of a calculation that gives no number is refused with what to do', () => {
	expect(inexactNumber(NaN, 'is')).toMatchObject({
		message: expect.stringContaining('is the result of a calculation that gives no number'),
		description: 'Correct the expression.',
	});
});
