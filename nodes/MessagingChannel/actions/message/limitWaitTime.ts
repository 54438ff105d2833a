import type { Field } from '../../operation/operation';

/** How long to wait for an answer. */
export const limitWaitTime: Field = {
	displayName: 'Limit Wait Time',
	name: 'limitWaitTime',
	type: 'fixedCollection',
	// Without its values, the workflow would wait forever.
	required: true,
	default: { values: { limitType: 'afterTimeInterval', resumeAmount: 45, resumeUnit: 'minutes' } },
	description: 'How long to wait for a response before the workflow continues without one',
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
					description: 'How to define the end of the wait',
					options: [
						{ name: 'After Time Interval', value: 'afterTimeInterval' },
						{ name: 'At Specified Time', value: 'atSpecifiedTime' },
					],
				},
				{
					displayName: 'Amount',
					name: 'resumeAmount',
					type: 'number',
					// Up to a year of minutes.
					typeOptions: { minValue: 0.01, maxValue: 525_600, numberPrecision: 2 },
					default: 1,
					required: true,
					placeholder: 'e.g. 45',
					description: "Time to wait, in the 'Unit' below",
					displayOptions: { show: { limitType: ['afterTimeInterval'] } },
				},
				{
					displayName: 'Unit',
					name: 'resumeUnit',
					type: 'options',
					default: 'hours',
					description: 'Unit of the amount',
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
					placeholder: 'e.g. 2030-01-31T09:00:00',
					required: true,
					description: 'When the workflow continues without a response',
					displayOptions: { show: { limitType: ['atSpecifiedTime'] } },
				},
			],
		},
	],
	api: [],
};
