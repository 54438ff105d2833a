import { parseForm, textsIn } from '../../../nodes/MessagingChannel/sendAndWait/parseForm';
import { DEFAULT_TEXTS } from '../../../nodes/MessagingChannel/sendAndWait/pageTexts';
import type { FieldType, FormField } from '../../../nodes/MessagingChannel/sendAndWait/formField';

const field = (type: FieldType, more: Partial<FormField> = {}): FormField => ({
	label: 'Field',
	type,
	isRequired: false,
	choices: ['red', 'dark blue'],
	...more,
});

const fill = (one: FormField, sent: unknown) => parseForm([one], { 'field-0': sent }, DEFAULT_TEXTS);

test.each<[FieldType, unknown, unknown]>([
	['text', ' Ada ', 'Ada'],
	['textarea', 'one\r\ntwo\rthree', 'one\ntwo\nthree'],
	['number', '-2.50', -2.5],
	['number', '1e3', 1000],
	['number', '1E3', 1000],
	['number', '5.', 5],
	['number', '0', 0],
	['number', '-2,5', -2.5],
	['number', '1500,00', 1500],
	['date', '2028-02-29', '2028-02-29'],
	['date', '29.2.2028', '2028-02-29'],
	['email', 'ada@localhost', 'ada@localhost'],
	['dropdown', 'dark blue', 'dark blue'],
	['radio', 'red', 'red'],
	['checkbox', 'red', ['red']],
	['checkbox', ['red', 'dark blue'], ['red', 'dark blue']],
	['text', undefined, null],
	['number', '', null],
	['checkbox', undefined, null],
	['dropdown', '', null],
])('a %s filled in with %j is %j', (type, sent, value) => {
	expect(fill(field(type), sent)).toEqual({ values: { Field: value } });
});

test('what was sent for another field is nothing', () => {
	const sent = { 'field-7': 'Eve', approved: 'true', data: 'Eve' };
	expect(parseForm([field('text')], sent, DEFAULT_TEXTS)).toEqual({ values: { Field: null } });
});

test.each<[FieldType, unknown]>([
	['number', 'many'],
	['number', '0x10'],
	['number', '1e999'],
	// Its last digit would change.
	['number', '12345678901234567'],
	['number', 'Infinity'],
	['number', '1,500'],
	['number', '1,5,5'],
	['number', ',5'],
	['date', '02/03/2030'],
	['date', '30.02.2030'],
	['date', '2027-02-29'],
	['date', '2030-1-1'],
	['email', 'ada'],
	['email', 'ada@x y'],
	['email', 'ada b@example.com'],
	['dropdown', 'green'],
	['dropdown', 'toString'],
	['radio', 'RED'],
	['radio', ['red', 'dark blue']],
	['checkbox', ['red', 'green']],
	['text', ['one', 'two']],
])('a %s filled in with %j is not taken', (type, sent) => {
	expect(fill(field(type), sent)).toEqual({ errors: new Map([[0, expect.stringMatching(/\.$/)]]) });
});

test.each<[FieldType, unknown]>([
	['text', undefined],
	['text', ' \n '],
	['text', { text: 'Ada' }],
	['text', 7],
	['checkbox', []],
	['dropdown', ''],
])('a required %s filled in with %j is asked for again', (type, sent) => {
	expect(fill(field(type, { isRequired: true }), sent)).toEqual({
		errors: new Map([[0, 'Fill in this field.']]),
	});
});

test('each invalid field is reported', () => {
	const fields = [field('text'), field('number'), field('date', { isRequired: true })];
	const filled = parseForm(fields, { 'field-0': 'Ada', 'field-1': 'x' }, DEFAULT_TEXTS);
	expect('errors' in filled && [...filled.errors.keys()]).toEqual([1, 2]);
});

test('a label such as __proto__ is an ordinary name', () => {
	const filled = parseForm([field('text', { label: '__proto__' })], { 'field-0': 'x' }, DEFAULT_TEXTS);
	expect('values' in filled && Object.entries(filled.values)).toEqual([['__proto__', 'x']]);
});

test('values for unknown fields are ignored', () => {
	expect(textsIn({ 'field-9': 'x', approved: 'true' }, 0)).toEqual([]);
});
