import { recipientOf } from '../../fields/chats';
import { name } from '../../fields/name';
import { templateId } from '../../fields/templates';
import { variablesOf } from '../../fields/templateVariables';
import { messageText } from '../../fields/messageText';
import { InvalidInput, type Locator } from '../../operation/input';
import type { Operation } from '../../operation/operation';
import { distinctRecipients } from './recipients';

export const create: Operation = {
	value: 'create',
	name: 'Create',
	action: 'Create broadcast',
	description: 'Send one message to many recipients, at a pace that protects the number',
	endpoint: {
		method: 'POST',
		path: '/messages/broadcast',
		permission: 'messages:send',
		sends: 'other',
		inferred: 'body',
	},
	fields: [
		{ ...name('broadcast', 'Spring sale'), required: true },
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
					description: 'Each input item makes a broadcast of its own',
				},
				{
					name: 'All Items',
					value: 'allItems',
					description:
						'All input items make one broadcast. Its name is that of the first item. Everything but name and recipients must be the same in all items.',
				},
			],
			description: 'Which input items a broadcast takes its recipients from',
			hint: 'This Item makes a broadcast for each input item, All Items makes one broadcast for all of them',
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
			placeholder: 'e.g. +90 555 123 45 67, +90 555 765 43 21',
			description: 'Phone numbers with their country codes, or chat IDs, separated by commas or line breaks',
			toApi: (recipients: string[]) => ({ recipients: distinctRecipients(recipients.map(recipientOf)) }),
		},
		{
			...messageText,
			required: false,
			description:
				'The text of the message. Leave it empty when you choose a template under Additional Fields.',
		},
		{
			displayName: 'Delay Between Messages',
			name: 'delayBetweenMessages',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: 0,
			description:
				'Pause between two messages. A lower value sends faster and raises the risk that the number is blocked. 0 leaves it to the service.',
			toApi: (delay: number) => (delay === 0 ? {} : { delayBetweenMessages: delay }),
		},
	],
	additionalFields: [
		{
			...templateId,
			description: 'The template to send instead of a text',
			api: ['templateId'],
			toApi: ({ value }: Locator) => ({ templateId: value }),
		},
		{
			displayName: 'Variables (JSON)',
			name: 'variables',
			type: 'json',
			default: '{}',
			description: 'The texts for the placeholders of the template, as one object',
			toApi: (variables: unknown) => variablesOf(variables, 'Variables (JSON)'),
		},
	],
	allItems: {
		isWanted: ({ settings }) => settings.recipientsFrom === 'allItems',
		list: 'recipients',
		distinct: distinctRecipients,
		mayDiffer: ['name'],
		advice:
			'One broadcast sends the same to everybody. To send each item a text of its own, use Message > Send or Template > Send.',
	},
	request: ({ parameters }) => {
		if (parameters.message || parameters.templateId) return { parameters };
		throw new InvalidInput(
			'is empty',
			'Enter a text, or choose a template under Additional Fields.',
			'Message',
		);
	},
};
