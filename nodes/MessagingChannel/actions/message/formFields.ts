import type { INodeProperties } from 'n8n-workflow';

import type { Field } from '../../operation/operation';
import { FIELD_TYPES, formFieldsOf } from '../../sendAndWait/formField';

const ELEMENTS: Record<(typeof FIELD_TYPES)[number], string> = {
	checkbox: 'Checkboxes',
	date: 'Date',
	dropdown: 'Dropdown',
	email: 'Email',
	number: 'Number',
	radio: 'Radio Buttons',
	text: 'Text',
	textarea: 'Textarea',
};

const options: INodeProperties = {
	displayName: 'Field Options',
	name: 'fieldOptions',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true, sortable: true },
	placeholder: 'Add Field Option',
	default: { values: [{ option: '' }] },
	description: 'Options to choose from',
	displayOptions: { show: { fieldType: ['checkbox', 'dropdown', 'radio'] } },
	options: [
		{
			displayName: 'Values',
			name: 'values',
			values: [
				{
					displayName: 'Option',
					name: 'option',
					type: 'string',
					default: '',
					placeholder: 'e.g. Morning',
					description: 'Text of the option on the page and in the response',
				},
			],
		},
	],
};

/** The fields of a custom form. */
export const formFields: Field = {
	displayName: 'Form Fields',
	name: 'formFields',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true, sortable: true },
	placeholder: 'Add Form Field',
	default: {},
	description: 'Fields of the form, from top to bottom',
	displayOptions: { show: { responseType: ['customForm'] } },
	options: [
		{
			displayName: 'Values',
			name: 'values',
			values: [
				{
					displayName: 'Label',
					name: 'fieldLabel',
					type: 'string',
					default: '',
					required: true,
					placeholder: 'e.g. What is your name?',
					description: 'Name of the field on the page and in the response',
				},
				{
					displayName: 'Element Type',
					name: 'fieldType',
					type: 'options',
					default: 'text',
					description: 'Type of the form field',
					options: FIELD_TYPES.map((value) => ({ name: ELEMENTS[value], value })),
				},
				{
					displayName: 'Placeholder',
					name: 'placeholder',
					type: 'string',
					default: '',
					placeholder: 'e.g. Enter your full name',
					description: 'Text to show while the field is empty',
					displayOptions: { show: { fieldType: ['email', 'number', 'text', 'textarea'] } },
				},
				options,
				{
					displayName: 'Required Field',
					name: 'requiredField',
					type: 'boolean',
					default: false,
					description: 'Whether the field must be filled in before the form can be submitted',
				},
			],
		},
	],
	api: [],
	toApi: (entered: never) => ({ formFields: formFieldsOf(entered) }),
};
