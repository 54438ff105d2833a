import fc from 'fast-check';
import { DateTime } from 'luxon';

import type { Parameters } from '../../../nodes/MessagingChannel/api/apiRequest';
import { InvalidInput } from '../../../nodes/MessagingChannel/operation/input';
import type { Field, Operation } from '../../../nodes/MessagingChannel/operation/operation';
import { readInput } from '../../../nodes/MessagingChannel/operation/readInput';

const base = { displayName: 'Value', name: 'someValue', default: '' } as const;

const operation = (more: Partial<Operation>): Operation => ({
	value: 'test',
	name: 'Test',
	action: 'Test',
	description: '',
	endpoint: { method: 'POST', path: '/x', permission: 'valid key' },
	...more,
});

const read = (tested: Operation, entered: Record<string, unknown>) =>
	readInput(tested, {
		read: (name, fallback) => (name in entered ? entered[name] : fallback),
		// Not the one that n8n's engine makes the default.
		timezone: 'America/New_York',
		file: () => {
			throw new InvalidInput('has no file', 'None here.');
		},
	});

type Given = Partial<Field> & Pick<Field, 'type'>;

const withField = (field: Given) => operation({ fields: [{ ...base, ...field }] });

const readField = (field: Given, value: unknown) =>
	read(withField(field), { someValue: value }).parameters.someValue;

/** Matches the error that refuses an input. */
const refusal = (message: string, description: string) =>
	expect.objectContaining({ message, description }) as Error;

const emptyAdvice = 'Enter a value. If you use an expression, check its result for this item: it is empty.';

/** Groups of one text each. */
const links: Given = {
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	options: [{ displayName: 'Values', name: 'values', values: [{ ...base, name: 'url', type: 'string' }] }],
};

describe('a value of the right kind, or one that can be read as such, is taken', () => {
	const moment = DateTime.fromISO('2030-01-31T12:00:00', { zone: 'Europe/Istanbul' });
	const selected = { __rl: true, mode: 'list', value: '905551234567', cachedResultName: 'Ada' };
	const unnamed = { ...selected, cachedResultName: '' };
	test.each<[Given, unknown, unknown]>([
		[{ type: 'string' }, 'text', 'text'],
		[{ type: 'string' }, 7, '7'],
		[{ type: 'string' }, ' kept ', ' kept '],
		[{ type: 'number' }, 7, 7],
		[{ type: 'number' }, ' 7.5 ', 7.5],
		[{ type: 'number' }, 0, 0],
		[{ type: 'number', typeOptions: { minValue: 1, maxValue: 9 } }, 1, 1],
		[{ type: 'number', typeOptions: { minValue: 1, maxValue: 9 } }, 9, 9],
		[{ type: 'boolean' }, 'TRUE', true],
		[{ type: 'boolean' }, ' false\n', false],
		[{ type: 'boolean' }, 1, true],
		[{ type: 'boolean' }, '0', false],
		[{ type: 'options', options: [{ name: 'A', value: 'a' }] }, 'a', 'a'],
		[{ type: 'options', options: [{ name: 'A', value: 'a' }] }, ' A\n', 'a'],
		[{ type: 'options', typeOptions: { loadOptionsMethod: 'any' } }, 'free', 'free'],
		...['A', ' b'].map((entered): [Given, unknown, unknown] => [
			{ type: 'options', allowArbitraryValues: true, options: [{ name: 'A', value: 'a' }] },
			entered,
			entered.toLowerCase().trim(),
		]),
		[{ type: 'multiOptions', options: [{ name: 'A', value: 'a' }] }, ['a'], ['a']],
		[{ type: 'multiOptions', options: [{ name: 'A', value: 'a' }] }, 'a', ['a']],
		[
			{ type: 'multiOptions', options: ['a', 'c'].map((value) => ({ name: value, value })) },
			'A, c',
			['a', 'c'],
		],
		[{ type: 'multiOptions', allowArbitraryValues: true }, 'a, new b', ['a', 'new b']],
		[{ type: 'json' }, '{"a":1}', { a: 1 }],
		[{ type: 'json' }, { a: 1 }, { a: 1 }],
		[{ type: 'string', list: true }, 'a, b\nc,,', ['a', 'b', 'c']],
		[{ type: 'string', list: true }, 'a; b，c；d،e؛f、g', ['a', 'b', 'c', 'd', 'e', 'f', 'g']],
		[{ type: 'string', list: true }, ['a', 7, ' b;c '], ['a', '7', 'b;c']],
		[{ type: 'string', list: true }, ' ["a, b", "c"]\n', ['a, b', 'c']],
		[{ type: 'string', list: true }, '[a], [b]', ['[a]', '[b]']],
		[{ type: 'dateTime' }, '20300131T120000', '2030-01-31T17:00:00.000Z'],
		[{ type: 'dateTime' }, '2030-01-31T12:00:00', '2030-01-31T17:00:00.000Z'],
		[{ type: 'dateTime' }, ' 2030-01-31 12:00 ', '2030-01-31T17:00:00.000Z'],
		[{ type: 'dateTime' }, '\u200b2030-01-31\u00a012:00', '2030-01-31T17:00:00.000Z'],
		[{ type: 'dateTime' }, '2030-01-31T12:00:00+02:00', '2030-01-31T10:00:00.000Z'],
		[{ type: 'dateTime' }, moment, '2030-01-31T09:00:00.000Z'],
		[{ type: 'dateTime' }, moment.toJSDate(), '2030-01-31T09:00:00.000Z'],
		[{ type: 'resourceLocator' }, { __rl: true, mode: 'id', value: ' x ' }, { mode: 'id', value: 'x' }],
		[{ type: 'resourceLocator' }, { ...selected, mode: 'phone' }, { mode: 'phone', value: '905551234567' }],
		[{ type: 'resourceLocator' }, selected, { mode: 'list', value: '905551234567', isSelected: true }],
		[{ type: 'resourceLocator' }, unnamed, { mode: 'list', value: '905551234567' }],
		[{ type: 'resourceLocator' }, 'bare', { mode: '', value: 'bare' }],
		[{ type: 'resourceLocator' }, { mode: { a: 1 }, value: 'x' }, { mode: '', value: 'x' }],
		[links, { values: [{ url: 'a' }, null, 'b', { url: 'c' }] }, [{ url: 'a' }, { url: 'c' }]],
		[links, {}, []],
		[{ ...links, typeOptions: {} }, { values: { url: 'a' } }, { url: 'a' }],
	])('%j: %j', (field, value, expected) => {
		expect(readField(field, value)).toEqual(expected);
	});
});

describe('a value of another kind is refused, by the name of its field and with advice', () => {
	const choice: Partial<Field> = {
		options: [
			{ name: 'A', value: 'a' },
			{ name: 'C', value: 'c' },
		],
	};
	const circular: Record<string, unknown> = {};
	circular.self = circular;
	const toText = 'Choose one of its fields, or convert it to text.';
	const inQuotes = 'Pass it on as text from where it comes from, in quotes.';
	const asList = 'Write it as in ["VIP", "new"], or separate the values with commas.';
	const number = 'Enter a number.';
	const whole: Given = { type: 'number', typeOptions: { numberPrecision: 0 } };
	const flag =
		"Enter true or false. Convert other forms with an expression, e.g. {{ $json.active === 'yes' }}.";
	const oneOf = 'Enter one of these: a, c.';
	const object = 'Enter an object, e.g. { "key": "value" }.';
	const date =
		"Enter a date and time, e.g. 2030-01-31T09:00:00Z. Convert other forms with an expression, e.g. {{ DateTime.fromFormat($json.date, 'dd.MM.yyyy HH:mm') }}.";

	test.each<[Given, unknown, string, string]>([
		[{ type: 'string' }, { a: 1 }, 'is an object, not text', toText],
		[{ type: 'string' }, ['a'], 'is a list, not text', toText],
		[{ type: 'string' }, 2 ** 53, 'is a number whose last digits are lost: 9007199254740992', inQuotes],
		[{ type: 'number' }, 'many', "is not a number: 'many'", number],
		[{ type: 'number' }, circular, "is not a number: 'an object'", number],
		[{ type: 'number', typeOptions: { minValue: 1 } }, 0, 'is too small: 0', 'Enter 1 or more.'],
		[{ type: 'number', typeOptions: { maxValue: 9 } }, 10, 'is too large: 10', 'Enter 9 or less.'],
		[whole, 1.5, 'is not a whole number: 1.5', 'Enter a whole number.'],
		[whole, '1.000', 'is not a whole number: 1.000', 'Enter a whole number.'],
		[{ type: 'boolean' }, 'yes', "is neither true nor false: 'yes'", flag],
		[{ type: 'boolean' }, {}, "is neither true nor false: '{}'", flag],
		[{ type: 'options', ...choice }, 'b', "is not one of the options: 'b'", oneOf],
		[{ type: 'multiOptions', ...choice }, ['a', 'b'], "is not one of the options: 'b'", oneOf],
		[
			{ type: 'json' },
			'{"a": "of "Ada""}',
			'is not valid JSON',
			`${object} If a value is an expression, make all of the field one, e.g. {{ { key: $json.name } }}.`,
		],
		[{ type: 'json' }, '[1]', 'is a list, not an object', object],
		[{ type: 'json' }, 7, 'is a number, not an object', object],
		[{ type: 'dateTime' }, 'tomorrow', "is not a valid date: 'tomorrow'", date],
		[{ type: 'dateTime' }, '2030', "is not a valid date: '2030'", date],
		[{ type: 'dateTime' }, '23:59', "is not a valid date: '23:59'", date],
		[{ type: 'dateTime' }, 23, "is not a valid date: '23'", date],
		[{ type: 'string', list: true }, [{ a: 1 }], 'is an object, not text', toText],
		[{ type: 'string', list: true }, { toString: 1, valueOf: 1 }, 'is an object, not text', toText],
		[{ type: 'string', list: true }, '[“a”, “b”]', "is a list, but not valid JSON: '[“a”, “b”]'", asList],
		[{ type: 'string', list: true }, '[a, b]', "is a list, but not valid JSON: '[a, b]'", asList],
		[{ type: 'string', list: true }, "  [  'a']", "is a list, but not valid JSON: '  [  'a']'", asList],
		...[null, undefined].map((value): [Given, unknown, string, string] => [
			{ type: 'string', list: true },
			['a', value],
			'has an entry that is empty: number 2',
			'Correct the expression, or let it leave out what is empty, e.g. with .filter(Boolean).',
		]),
		[{ type: 'string', list: true, required: true }, ', ,', 'is empty', emptyAdvice],
		[{ type: 'resourceLocator' }, { mode: 'id', value: { a: 1 } }, 'is an object, not text', toText],
	])('%j: %p', (field, value, problem, advice) => {
		expect(() => readField(field, value)).toThrow(refusal(`'Value' ${problem}`, advice));
	});

	test('a long value is shown in part', () => {
		const refused = (text: string) => () => readField({ type: 'number' }, text);
		expect(refused('x'.repeat(81))).toThrow(`'Value' is not a number: '${'x'.repeat(80)}…'`);
		expect(refused('x'.repeat(80))).toThrow(`'Value' is not a number: '${'x'.repeat(80)}'`);
	});
});

const empty = [undefined, null, '', '  ', [], { __rl: true, mode: 'list', value: '' }];

describe.each(empty)('a value left empty (%j)', (value) => {
	test('is missed when it is required', () => {
		expect(() => readField({ type: 'string', required: true }, value)).toThrow(
			refusal("'Value' is empty", emptyAdvice),
		);
	});

	test('is left out when it is not', () => {
		expect(read(withField({ type: 'string' }), { someValue: value }).parameters).toEqual({});
	});
});

test.each([
	[{}, {}],
	[{ additionalFields: {} }, {}],
	[{ additionalFields: { someValue: 'a' } }, { someValue: 'a' }],
])('of an optional field in %j is sent %j, and never its default', (entered, sent) => {
	const tested = operation({ additionalFields: [{ ...base, type: 'string', default: 'unasked' }] });
	expect(read(tested, entered).parameters).toEqual(sent);
});

describe('an update', () => {
	const tested = operation({
		updateFields: [
			{ ...base, type: 'string' },
			{ ...base, name: 'other', type: 'string' },
		],
	});

	test.each([
		[{}, 'is empty', 'Add at least one field to update.'],
		[
			{ someValue: null },
			'has no value in any of its fields',
			'Enter at least one value. If you use an expression, check its result for this item: it is empty.',
		],
	])('to %j is refused', (updateFields, problem, advice) => {
		expect(() => read(tested, { updateFields })).toThrow(refusal(`'Update Fields' ${problem}`, advice));
	});

	test.each([
		['with an empty text clears the field', { someValue: '' }, { someValue: '' }],
		['with nothing leaves the field alone', { someValue: null, other: 'new' }, { other: 'new' }],
		['with nothing leaves the field alone', { someValue: undefined, other: 'new' }, { other: 'new' }],
	])('%s: %j', (_, updateFields, sent) => {
		expect(read(tested, { updateFields }).parameters).toEqual(sent);
	});

	test('leaves alone what a model leaves empty, also what cannot be cleared', () => {
		const tested = operation({
			updateFields: [
				{ ...base, name: 'time', type: 'dateTime' },
				...['text', 'tags'].map((name): Field => ({
					...base,
					name,
					type: 'string',
					...(name === 'tags' && { list: true }),
				})),
				{ ...base, name: 'message', type: 'string', required: true },
				{ ...base, name: 'fields', type: 'json' },
			],
		});
		const updateFields = { time: '2030-01-31T09:00:00Z', text: ' ', tags: '[]', message: '', fields: '{}' };
		const isFromModel = jest.fn((path: string) => path !== 'updateFields.fields');
		const { parameters } = readInput(tested, {
			read: () => updateFields,
			isFromModel,
			timezone: 'UTC',
			file: () => ({}) as never,
		});
		expect(parameters).toEqual({ time: '2030-01-31T09:00:00.000Z', fields: {} });
		expect(isFromModel).not.toHaveBeenCalledWith('updateFields.time');
	});

	test.each<[Field['type'], unknown]>([
		['number', ''],
		['number', '  '],
		['boolean', ''],
		['json', ''],
		['options', ''],
		['dateTime', []],
	])('of a %s to %j is refused, for it cannot be cleared', (type, value) => {
		const tested = operation({ updateFields: [{ ...base, type }] });
		expect(() => read(tested, { updateFields: { someValue: value } })).toThrow(
			refusal(
				"'Value' is empty, and cannot be cleared",
				"To leave it as it is, let its expression give null, e.g. {{ $json.value === '' ? null : $json.value }}.",
			),
		);
	});

	test.each<[Given, unknown, unknown]>([
		[{ type: 'color' }, '', ''],
		[{ type: 'multiOptions', allowArbitraryValues: true }, '', []],
		[{ type: 'string', list: true }, [], []],
	])('of %j with %j clears it', (field, value, sent) => {
		const tested = operation({ updateFields: [{ ...base, ...field }] });
		expect(read(tested, { updateFields: { someValue: value } }).parameters).toEqual({ someValue: sent });
	});
});

test('a Get Many has its limit unless it returns all, and nothing else has one', () => {
	const getMany = operation({ pagination: 'page' });
	expect(read(getMany, {})).toMatchObject({ parameters: {}, settings: { returnAll: false, limit: 50 } });
	expect(read(getMany, { returnAll: true }).settings).toEqual({ returnAll: true });
	expect(read(operation({}), {}).settings).toEqual({});
});

test('a field that depends on another is read only when it shows', () => {
	const by: Field = { ...base, name: 'by', type: 'string', default: 'url' };
	const displayOptions = { show: { by: ['file'] } };
	const file: Field = { ...base, type: 'string', required: true, displayOptions };
	const tested = operation({ fields: [by, file] });
	expect(read(tested, {}).parameters).toEqual({ by: 'url' });
});

test('a field that depends on a choice is read however an expression writes the choice', () => {
	const by: Field = { ...base, name: 'by', type: 'options', options: [{ name: 'File', value: 'file' }] };
	const displayOptions = { show: { by: ['file'] } };
	const tested = operation({ fields: [by, { ...base, type: 'string', required: true, displayOptions }] });
	expect(read(tested, { by: ' File ', someValue: 'a' }).parameters).toEqual({ by: 'file', someValue: 'a' });
});

test('a setting is not sent', () => {
	const tested = operation({ options: [{ ...base, type: 'string', api: [] }] });
	const input = read(tested, { options: { someValue: 'ours' } });
	expect(input).toMatchObject({ parameters: {}, settings: { someValue: 'ours' } });
});

test('a field in the panel and one in another collection can depend on an option', () => {
	const code: Field = { ...base, name: 'code', type: 'string', api: [] };
	const toApi = (name: string, settings: Parameters) => ({ [name]: settings.code });
	const phone: Field = { ...base, type: 'string', toApi };
	const tested = operation({ options: [code], fields: [phone], filters: [phone] });
	const entered = { options: { code: '90' }, someValue: 'to', filters: { someValue: 'search' } };
	expect(read(tested, entered).parameters).toEqual({ to: '90', search: '90' });
});

test('a field can fill another name, or several', () => {
	const renamed = withField({ type: 'string', api: ['id'] });
	expect(read(renamed, { someValue: 'x' }).parameters).toEqual({ id: 'x' });
	const split = withField({ type: 'string', toApi: (text: string) => ({ a: text, b: text }) });
	expect(read(split, { someValue: 'x' }).parameters).toEqual({ a: 'x', b: 'x' });
});

test('a mistake of this package does not count as one of the expression', () => {
	const toApi = () => {
		throw new TypeError('x is not a function');
	};
	expect(() => readField({ type: 'string', toApi }, 'x')).toThrow(TypeError);
});

test('an expression that fails is told with its field and advice', () => {
	const entered = {
		get someValue(): never {
			throw new Error("Referenced node doesn't exist");
		},
	};
	expect(() => read(withField({ type: 'string' }), entered)).toThrow(
		refusal(
			"'Value' has an expression that fails: Referenced node doesn't exist",
			'Correct the expression, or the data that it uses.',
		),
	);
});

test('any input is accepted or refused with advice', () => {
	const types = fc.constantFrom<Given['type']>(
		...(['string', 'number', 'boolean', 'options', 'multiOptions', 'json', 'dateTime'] as const),
		'resourceLocator',
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
				readField({ type, options: [{ name: 'A', value: 'a' }], ...(list ? { list } : {}) }, value);
			} catch (error) {
				expect(error).toMatchObject({ name: 'InvalidInput', description: expect.any(String) as string });
			}
		}),
		{ numRuns: 2_000 },
	);
});
