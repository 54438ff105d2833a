import type { INodeProperties } from 'n8n-workflow';

import type { Field } from '../../operation/operation';
import { FIELD_TYPES, formFieldsOf } from '../../waiting/formFields';

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

/** The links of an approval. */
export const approvalOptions: Field = {
	displayName: 'Approval Options',
	name: 'approvalOptions',
	type: 'fixedCollection',
	placeholder: 'Add Option',
	default: {},
	description: 'The links that the message offers',
	displayOptions: { show: { responseType: ['approval'] } },
	options: [
		{
			displayName: 'Values',
			name: 'values',
			values: [
				{
					displayName: 'Type of Approval',
					name: 'approvalType',
					type: 'options',
					default: 'single',
					description: 'Whether the message offers one link or two',
					options: [
						{ name: 'Approve Only', value: 'single' },
						{ name: 'Approve and Disapprove', value: 'double' },
					],
				},
				{
					displayName: 'Approve Button Label',
					name: 'approveLabel',
					type: 'string',
					default: 'Approve',
					description: 'Text before the link that approves, and on the button of its page',
				},
				{
					displayName: 'Disapprove Button Label',
					name: 'disapproveLabel',
					type: 'string',
					default: 'Decline',
					description: 'Text before the link that declines, and on the button of its page',
					displayOptions: { show: { approvalType: ['double'] } },
				},
			],
		},
	],
	api: [],
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

/** What a custom form asks for. */
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

/** How long an answer is waited for. */
export const limitWaitTime: Field = {
	displayName: 'Limit Wait Time',
	name: 'limitWaitTime',
	type: 'fixedCollection',
	default: { values: { limitType: 'afterTimeInterval', resumeAmount: 45, resumeUnit: 'minutes' } },
	description: 'How long to wait for an answer before the workflow goes on without one',
	options: [
		{
			displayName: 'Values',
			name: 'values',
			values: [
				{
					displayName: 'Limit Type',
					name: 'limitType',
					type: 'options',
					default: 'afterTimeInterval',
					description: 'How the end of the wait is given',
					options: [
						{ name: 'After Time Interval', value: 'afterTimeInterval' },
						{ name: 'At Specified Time', value: 'atSpecifiedTime' },
					],
				},
				{
					displayName: 'Amount',
					name: 'resumeAmount',
					type: 'number',
					typeOptions: { minValue: 0, numberPrecision: 2 },
					default: 1,
					description: 'Time to wait, in the unit below',
					displayOptions: { show: { limitType: ['afterTimeInterval'] } },
				},
				{
					displayName: 'Unit',
					name: 'resumeUnit',
					type: 'options',
					default: 'hours',
					description: 'Unit of the time to wait',
					displayOptions: { show: { limitType: ['afterTimeInterval'] } },
					options: [
						{ name: 'Minutes', value: 'minutes' },
						{ name: 'Hours', value: 'hours' },
						{ name: 'Days', value: 'days' },
					],
				},
				{
					displayName: 'Max Date and Time',
					name: 'maxDateAndTime',
					type: 'dateTime',
					default: '',
					required: true,
					description: 'When the workflow goes on without an answer',
					displayOptions: { show: { limitType: ['atSpecifiedTime'] } },
				},
			],
		},
	],
	api: [],
};

/** A name is written as its owner writes it, whatever the case of the words around it. */
const ATTRIBUTION_LABEL = 'Append n8n Attribution';

/** Whether the message says where it comes from. */
export const appendAttribution: Field = {
	displayName: ATTRIBUTION_LABEL,
	name: 'appendAttribution',
	type: 'boolean',
	default: true,
	description: 'Whether to end the message with "Sent automatically with n8n"',
	api: [],
};
