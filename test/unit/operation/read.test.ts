import fc from 'fast-check';
import { DateTime } from 'luxon';

import { InvalidInput } from '../../../nodes/MessagingChannel/operation/input';
import type { Field, Operation } from '../../../nodes/MessagingChannel/operation/operation';
import { readInput } from '../../../nodes/MessagingChannel/operation/read';

const base = { displayName: 'Value', name: 'someValue', default: '' } as const;

const operation = (more: Partial<Operation>): Operation => ({
	value: 'test',
	name: 'Test',
	action: 'Test',
	description: '',
	call: { method: 'POST', path: '/x', permission: 'valid key' },
	...more,
});

const read = (tested: Operation, entered: Record<string, unknown>) =>
	readInput(tested, {
		read: (name, fallback) => (name in entered ? entered[name] : fallback),
		timezone: 'Europe/Istanbul',
		file: () => {
			throw new InvalidInput('has no file', 'None here.');
		},
	});

const readField = (field: Partial<Field> & Pick<Field, 'type'>, value: unknown) =>
	read(operation({ fields: [{ ...base, ...field }] }), { someValue: value }).parameters.someValue;

describe('a value of the right kind, or one that can be read as such, is taken', () => {
	const moment = DateTime.fromISO('2030-01-31T12:00:00', { zone: 'Europe/Istanbul' });
	test.each<[Partial<Field> & Pick<Field, 'type'>, unknown, unknown]>([
		[{ type: 'string' }, 'text', 'text'],
		[{ type: 'string' }, 7, '7'],
		[{ type: 'string' }, true, 'true'],
		[{ type: 'string' }, ' kept ', ' kept '],
		[{ type: 'number' }, 7, 7],
		[{ type: 'number' }, ' 7.5 ', 7.5],
		[{ type: 'number' }, 0, 0],
		[{ type: 'boolean' }, false, false],
		[{ type: 'boolean' }, 'TRUE', true],
		[{ type: 'options', options: [{ name: 'A', value: 'a' }] }, 'a', 'a'],
		[{ type: 'options', typeOptions: { loadOptionsMethod: 'any' } }, 'free', 'free'],
		[{ type: 'multiOptions', options: [{ name: 'A', value: 'a' }] }, ['a'], ['a']],
		[{ type: 'multiOptions', options: [{ name: 'A', value: 'a' }] }, 'a', ['a']],
		[{ type: 'multiOptions', allowArbitraryValues: true }, 'a, new b', ['a', 'new b']],
		[{ type: 'json' }, '{"a":1}', { a: 1 }],
		[{ type: 'json' }, { a: 1 }, { a: 1 }],
		[{ type: 'string', list: true }, 'a, b\nc,,', ['a', 'b', 'c']],
		[{ type: 'string', list: true }, ['a', 7, ' b '], ['a', '7', 'b']],
		[{ type: 'dateTime' }, '2030-01-31T12:00:00', '2030-01-31T09:00:00.000Z'],
		[{ type: 'dateTime' }, '2030-01-31 12:00', '2030-01-31T09:00:00.000Z'],
		[{ type: 'dateTime' }, '2030-01-31T12:00:00+02:00', '2030-01-31T10:00:00.000Z'],
		[{ type: 'dateTime' }, moment, '2030-01-31T09:00:00.000Z'],
		[{ type: 'dateTime' }, moment.toJSDate(), '2030-01-31T09:00:00.000Z'],
		[{ type: 'resourceLocator' }, { __rl: true, mode: 'id', value: ' x ' }, { mode: 'id', value: 'x' }],
		[{ type: 'resourceLocator' }, 'bare', { mode: '', value: 'bare' }],
		[{ type: 'resourceLocator' }, 7, { mode: '', value: '7' }],
	])('%j: %j', (field, value, expected) => {
		expect(readField(field, value)).toEqual(expected);
	});
});

describe('a value of another kind is refused, by the name of its field', () => {
	test.each<[Partial<Field> & Pick<Field, 'type'>, unknown, string]>([
		[{ type: 'string' }, { a: 1 }, "'Value' is an object, not text"],
		[{ type: 'string' }, ['a'], "'Value' is a list, not text"],
		[{ type: 'number' }, 'many', "'Value' is not a number: 'many'"],
		[{ type: 'number' }, NaN, "'Value' is not a number: 'null'"],
		[{ type: 'number' }, true, "'Value' is not a number: 'true'"],
		[{ type: 'number', typeOptions: { minValue: 1 } }, 0, "'Value' is 0"],
		[{ type: 'number', typeOptions: { maxValue: 9 } }, 10, "'Value' is 10"],
		[{ type: 'number', typeOptions: { numberPrecision: 0 } }, 1.5, "'Value' is 1.5"],
		[{ type: 'boolean' }, 'maybe', "'Value' is neither true nor false: 'maybe'"],
		[
			{ type: 'options', options: [{ name: 'A', value: 'a' }] },
			'b',
			"'Value' is not one of its choices: 'b'",
		],
		[
			{ type: 'multiOptions', options: [{ name: 'A', value: 'a' }] },
			['a', 'b'],
			"'Value' is not one of its choices: 'b'",
		],
		[{ type: 'json' }, '{"a":', "'Value' is not valid JSON"],
		[{ type: 'json' }, '[1]', "'Value' is a list, not an object"],
		[{ type: 'json' }, 7, "'Value' is a number, not an object"],
		[{ type: 'dateTime' }, 'tomorrow', "'Value' is not a date: 'tomorrow'"],
		[{ type: 'string', list: true }, [{ a: 1 }], "'Value' is an object, not text"],
		[
			{ type: 'resourceLocator' },
			{ __rl: true, mode: 'id', value: { a: 1 } },
			"'Value' is an object, not text",
		],
	])('%j: %j', (field, value, message) => {
		expect(() => readField(field, value)).toThrow(
			expect.objectContaining({ message, description: expect.stringMatching(/\w/) as string }) as Error,
		);
	});

	test('a long value is shown in part', () => {
		expect(() => readField({ type: 'number' }, 'x'.repeat(500))).toThrow(/^.{0,130}…'$/);
	});
});

const empty = [undefined, null, '', '  ', [], { __rl: true, mode: 'list', value: '' }];

describe.each(empty)('a value left empty (%j)', (value) => {
	test('is missed when it is required', () => {
		expect(() => readField({ type: 'string', required: true }, value)).toThrow("'Value' is empty");
	});

	test('is left out when it is not', () => {
		expect(
			read(operation({ fields: [{ ...base, type: 'string' }] }), { someValue: value }).parameters,
		).toEqual({});
	});
});

describe('an optional field', () => {
	const tested = operation({ additionalFields: [{ ...base, type: 'string' }] });

	test('that was not added is not sent, not even its default', () => {
		expect(read(tested, { additionalFields: {} }).parameters).toEqual({});
		expect(read(tested, {}).parameters).toEqual({});
	});

	test('that was added is sent', () => {
		expect(read(tested, { additionalFields: { someValue: 'a' } }).parameters).toEqual({ someValue: 'a' });
	});

	test('of which the operation knows nothing is not sent', () => {
		expect(read(tested, { additionalFields: { other: 'a' } }).parameters).toEqual({});
	});
});

describe('an update', () => {
	const tested = operation({ updateFields: [{ ...base, type: 'string' }] });

	test('of nothing is refused', () => {
		expect(() => read(tested, { updateFields: {} })).toThrow("'Update Fields' is empty");
	});

	test('to an empty text clears the field', () => {
		expect(read(tested, { updateFields: { someValue: '' } }).parameters).toEqual({ someValue: '' });
	});
});

test('a field that hangs on another is read only when it shows', () => {
	const tested = operation({
		fields: [
			{
				displayName: 'By',
				name: 'by',
				type: 'options',
				default: 'url',
				options: [{ name: 'URL', value: 'url' }],
			},
			{ ...base, type: 'string', required: true, displayOptions: { show: { by: ['file'] } } },
		],
	});
	expect(read(tested, {}).parameters).toEqual({ by: 'url' });
});

test('a setting is not sent', () => {
	const tested = operation({ options: [{ ...base, type: 'string', api: [] }] });
	const input = read(tested, { options: { someValue: 'ours' } });
	expect(input).toMatchObject({ parameters: {}, settings: { someValue: 'ours' } });
});

test('a field can fill another name, or several', () => {
	const renamed = operation({ fields: [{ ...base, type: 'string', api: ['id'] }] });
	expect(read(renamed, { someValue: 'x' }).parameters).toEqual({ id: 'x' });
	const split = operation({
		fields: [{ ...base, type: 'string', toApi: (text: string) => ({ a: text, b: text }) }],
	});
	expect(read(split, { someValue: 'x' }).parameters).toEqual({ a: 'x', b: 'x' });
});

test('whatever is entered, it is taken or refused with advice, never anything else', () => {
	const types = fc.constantFrom(
		'string' as const,
		'number' as const,
		'boolean' as const,
		'options' as const,
		'multiOptions' as const,
		'json' as const,
		'dateTime' as const,
		'resourceLocator' as const,
	);
	// Fields that an object's own methods are hidden by.
	const key = fc.oneof(
		fc.string(),
		fc.constantFrom('toString', 'valueOf', 'toJSON', 'length', 'mode', 'value'),
	);
	const anything = fc.anything({
		key,
		withNullPrototype: true,
		withDate: true,
		withBigInt: true,
		withMap: true,
	});
	fc.assert(
		fc.property(types, anything, fc.boolean(), (type, value, list) => {
			try {
				readField({ type, ...(list ? { list } : {}) }, value);
			} catch (error) {
				expect(error).toMatchObject({ name: 'InvalidField', description: expect.any(String) as string });
			}
		}),
		{ numRuns: 2_000 },
	);
});
