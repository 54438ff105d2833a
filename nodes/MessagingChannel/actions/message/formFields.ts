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
	description: 'What can be chosen',
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
					description: 'Text of the option, on the page and in the answer',
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
	description: 'What the page asks for, from top to bottom',
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
					description: 'Name of the field, on the page and in the answer',
				},
				{
					displayName: 'Element Type',
					name: 'fieldType',
					type: 'options',
					default: 'text',
					description: 'What is filled in',
					options: FIELD_TYPES.map((value) => ({ name: ELEMENTS[value], value })),
				},
				{
					displayName: 'Placeholder',
					name: 'placeholder',
					type: 'string',
					default: '',
					description: 'Example that is shown while the field is empty',
					displayOptions: { show: { fieldType: ['email', 'number', 'text', 'textarea'] } },
				},
				options,
				{
					displayName: 'Required Field',
					name: 'requiredField',
					type: 'boolean',
					default: false,
					description: 'Whether the form can only be sent off with this field filled in',
				},
			],
		},
	],
	api: [],
	toApi: (entered: never) => ({ formFields: formFieldsOf(entered) }),
};
