import uniqBy from 'lodash/uniqBy';

import { modelChooses } from '../../fields/allowedRecipients';
import { recipientOf } from '../../fields/recipient';
import { nameField } from '../../fields/name';
import { recipientOptions } from '../../fields/recipientOptions';
import { templateId } from '../../fields/templates';
import { variablesJson } from '../../fields/templateVariables';
import { format, messageText } from '../../fields/messageText';
import { InvalidInput, type Locator } from '../../operation/input';
import type { Operation } from '../../operation/operation';
import { recipientKey } from '../../recipients/recipient';

export const create: Operation = {
	value: 'create',
	name: 'Create',
	action: 'Create broadcast',
	description: 'Send one message to many recipients, paced to protect your number from being blocked',
	endpoint: {
		method: 'POST',
		path: '/messages/broadcast',
		permission: 'messages:send',
		sends: 'other',
		listedBy: 'Broadcast > Get Many',
		inferred: 'body',
	},
	fields: [
		{ ...nameField('broadcast', 'Spring sale'), required: true },
		{
			displayName: 'Recipients From',
			name: 'recipientsFrom',
			type: 'options',
			noDataExpression: true,
			default: 'thisItem',
			options: [
				{
					name: 'This Item',
					value: 'thisItem',
					description: 'Create one broadcast for each input item',
				},
				{
					name: 'All Items',
					value: 'allItems',
					description:
						"Create one broadcast for all input items, named after the first item. All fields except 'Name', 'Recipients' and 'Default Country Code' must be the same in every item.",
				},
			],
			description: 'Which input items to take the recipients from',
			hint: "Use 'This Item' for one broadcast per input item, or 'All Items' for a single broadcast",
			api: [],
		},
		{
			displayName: 'Recipients',
			name: 'recipients',
			type: 'string',
			list: true,
			typeOptions: { rows: 3 },
			default: '',
			required: true,
			mustBeWhole: 'filled',
			placeholder: 'e.g. +90 555 123 45 67, +90 555 765 43 21',
			description: 'Phone numbers with country codes, or chat IDs, separated by commas or line breaks',
			toApi: (recipients: string[], settings) => ({
				recipients: uniqBy(
					recipients.map((entered) => recipientOf(entered, settings)),
					recipientKey,
				),
			}),
		},
		modelChooses(),
		{
			...messageText,
			required: false,
			description: "Text of the message. Leave it empty if you choose a template under 'Additional Fields'.",
		},
		{
			displayName: 'Delay Between Messages',
			name: 'delayBetweenMessages',
			type: 'number',
			// Up to a day, in milliseconds.
			typeOptions: { minValue: 0, maxValue: 86_400_000 },
			default: 0,
			placeholder: 'e.g. 10',
			hint: 'Its unit is unknown: ask the provider of the service',
			description:
				'Pause between messages. The service does not say in which unit, so try it with two of your own numbers first. 0 means that the service decides. A shorter pause sends faster but raises the risk that your number is blocked.',
			// A missing pause would make the broadcast faster than wanted.
			mustResolve: true,
			toApi: (delay: number) => (delay === 0 ? {} : { delayBetweenMessages: delay }),
		},
	],
	additionalFields: [
		{
			...templateId,
			description: 'Template to send instead of a text',
			api: ['templateId'],
			toApi: ({ value }: Locator) => ({ templateId: value }),
		},
		{ ...variablesJson, description: 'Values for the placeholders of the template, as an object' },
	],
	options: [...recipientOptions, format],
	allItems: {
		isWanted: ({ settings }) => settings.recipientsFrom === 'allItems',
		list: 'recipients',
		keyOf: recipientKey,
		mayDiffer: ['name', 'defaultCountryCode'],
		description:
			'A broadcast sends the same content to all recipients. To send a different text for each item, use Message > Send or Template > Send.',
	},
	request: (input) => {
		const { parameters } = input;
		if (parameters.message || parameters.templateId) return { parameters };
		throw new InvalidInput(
			'is empty',
			"Enter a text, or choose a template under 'Additional Fields'.",
			'Message',
		);
	},
};
