import { DEFAULT_TEXTS } from '../../../nodes/MessagingChannel/sendAndWait/pageTexts';
import { parseForm } from '../../../nodes/MessagingChannel/sendAndWait/parseForm';
import { formFieldsOf } from '../../../nodes/MessagingChannel/sendAndWait/formField';

const UNIQUE = "Give each field a unique label. 'respondedAt' is reserved for the time of the response.";

const name = { fieldLabel: 'Name', fieldType: 'text' as const };

test('a field has a trimmed label, and its choices without empty and equal ones', () => {
	const options = [{ option: ' red ' }, { option: '' }, {}, { option: 'red' }, { option: 'blue' }];
	expect(
		formFieldsOf([
			{ fieldLabel: ' Colour ', fieldType: 'dropdown', fieldOptions: options, requiredField: true },
			{ ...name, placeholder: 'Ada' },
		]),
	).toEqual([
		{ label: 'Colour', type: 'dropdown', isRequired: true, placeholder: undefined, choices: ['red', 'blue'] },
		{ label: 'Name', type: 'text', isRequired: false, placeholder: 'Ada', choices: [] },
	]);
});

test('a choice with line breaks of another system can be chosen on the page', () => {
	const [field] = formFieldsOf([
		{ ...name, fieldType: 'radio', fieldOptions: [{ option: 'Main Street 1\r\nBerlin' }] },
	]);
	expect(field && parseForm([field], { 'field-0': 'Main Street 1\r\nBerlin' }, DEFAULT_TEXTS)).toEqual({
		values: { Name: 'Main Street 1\nBerlin' },
	});
});

test('choices left over from another field type do not count', () => {
	const [field] = formFieldsOf([{ ...name, fieldOptions: [{ option: 'red' }] }]);
	expect(field?.choices).toEqual([]);
});

test.each([
	['no field at all', [], 'is empty', 'Add at least one field.'],
	[
		'two fields of one label',
		[name, { ...name, fieldLabel: 'Name ' }],
		"has a label that is already in use: 'Name'",
		UNIQUE,
	],
	[
		'the label of the time of the answer',
		[{ ...name, fieldLabel: 'respondedAt' }],
		"has a label that is already in use: 'respondedAt'",
		UNIQUE,
	],
	[
		'nothing to choose',
		[{ ...name, fieldType: 'radio' as const }],
		"has no options for 'Name'",
		'Add at least one option to this field.',
	],
])('a form with %s is refused', (_, entered, problem, advice) => {
	expect(() => formFieldsOf(entered)).toThrow(expect.objectContaining({ problem, description: advice }));
});
