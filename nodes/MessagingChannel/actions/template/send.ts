import { to } from '../../fields/chats';
import { recipientOptions } from '../../fields/recipientOptions';
import { templateToSend } from '../../fields/templates';
import { templateVariables, variablesOf } from '../../fields/templateVariables';
import type { Operation } from '../../operation/operation';

export const send: Operation = {
	value: 'send',
	name: 'Send',
	action: 'Send template message',
	description: 'Send a message created from a template',
	endpoint: { method: 'POST', path: '/messages/send-template', permission: 'messages:send', sends: 'other' },
	fields: [to, templateToSend, templateVariables],
	additionalFields: [
		{
			displayName: 'Variables (JSON)',
			name: 'variables',
			type: 'json',
			default: '{}',
			placeholder: 'e.g. {"name": "Nathan"}',
			description:
				"Values for the placeholders, as an object. Use it instead of 'Template Variables' if an expression selects the template.",
			// Otherwise the template would be sent with its placeholders.
			mustResolve: true,
			toApi: (variables: unknown) => variablesOf(variables, 'Variables (JSON)'),
		},
	],
	options: recipientOptions,
	request: ({ parameters: { variables, ...others } }) => ({
		parameters: { ...others, ...variablesOf(variables, templateVariables.displayName) },
	}),
};
