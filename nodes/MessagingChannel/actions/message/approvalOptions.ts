import type { Field } from '../../operation/operation';

/** The links of an approval and their labels. */
export const approvalOptions: Field = {
	displayName: 'Approval Options',
	name: 'approvalOptions',
	type: 'fixedCollection',
	placeholder: 'Add Option',
	default: {},
	description: 'Links in the message',
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
					description: 'Which links to include in the message',
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
					placeholder: 'e.g. Approve',
					description: 'Text in front of the link to approve and on the button of its page',
				},
				{
					displayName: 'Disapprove Button Label',
					name: 'disapproveLabel',
					type: 'string',
					default: 'Decline',
					placeholder: 'e.g. Decline',
					description: 'Text in front of the link to decline and on the button of its page',
					displayOptions: { show: { approvalType: ['double'] } },
				},
			],
		},
	],
	api: [],
};
