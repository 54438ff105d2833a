import type { INodeProperties } from 'n8n-workflow';

import { convertValue } from '../../nodes/MessagingChannel/operation/convertValue';
import { InvalidInput } from '../../nodes/MessagingChannel/operation/input';
import type { Field } from '../../nodes/MessagingChannel/operation/operation';
import { fields } from './panel';

/** Numbers of the panels that never become a time. Any other one becomes a timer or a date. */
const COUNTS = [
	'Context Window Length',
	'Limit',
	'Max Attempts',
	'Max Concurrency',
	'Max Events',
	'Pause When Queue Above',
	'Priority',
	'Split Long Text (Characters)',
];

const durations = fields
	.filter(({ what: { type, displayName } }) => type === 'number' && !COUNTS.includes(displayName))
	.map(({ where, what }): [string, INodeProperties] => [where, what]);

/** The error that a user sees for a value, or the number. */
const read = (field: INodeProperties, value: unknown): unknown => {
	try {
		return convertValue(field as Field, value, 'UTC');
	} catch (error) {
		return error instanceof InvalidInput ? error.in(field.displayName).message : error;
	}
};

test('these numbers of the panels are durations', () => {
	expect([...new Set(durations.map(([, { displayName }]) => displayName))].sort()).toEqual([
		'Amount',
		'Catch Up (Minutes)',
		'Delay Between Messages',
		'Max Age (Hours)',
		'Max Rate Limit Wait (Seconds)',
		'Poll Interval (Seconds)',
		'Recipients: Only If They Wrote',
		'Silence (Seconds)',
		'Timeout (Seconds)',
	]);
});

/** Node.js fires a timer for more milliseconds at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

describe.each(durations)('%s', (_, field) => {
	const { minValue = NaN, maxValue = NaN } = field.typeOptions ?? {};

	test('has limits, and its default is within them', () => {
		expect(minValue).toBeGreaterThanOrEqual(0);
		expect(maxValue).toBeLessThan(MAX_TIMER_MS);
		expect([minValue, maxValue, field.default].map((value) => read(field, value))).toEqual([
			minValue,
			maxValue,
			field.default,
		]);
	});

	test.each([
		['less than the least', minValue - 1, 'is too small: '],
		['more than the most', maxValue + 1, 'is too large: '],
		['more than a timer takes', MAX_TIMER_MS + 1, 'is too large: 2147483648'],
		['more than a date takes', 8.64e15 + 1, 'is too large: '],
		['what is no number', NaN, "is not a number: 'NaN'"],
		['an infinite number', Infinity, "is not a number: 'Infinity'"],
		['a duration in ISO 8601', 'PT5M', "is not a number: 'PT5M'"],
	])('refuses %s in words', (_case, value, problem) => {
		expect(read(field, value)).toMatch(`'${field.displayName}' ${problem}`);
	});
});

test.each(durations.filter(([, { typeOptions }]) => typeOptions?.numberPrecision === 0))(
	'%s refuses a fraction',
	(_, field) => {
		expect(read(field, Number(field.typeOptions?.minValue) + 0.5)).toMatch(/ is not a whole number: /);
	},
);
