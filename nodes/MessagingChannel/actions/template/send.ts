import { modelChooses } from '../../fields/allowedRecipients';
import { to } from '../../fields/recipient';
import { messageOptions } from '../../fields/recipientOptions';
import { templateToSend } from '../../fields/templates';
import { templateVariables, variablesJson, variablesOf } from '../../fields/templateVariables';
import type { Operation } from '../../operation/operation';

export const send: Operation = {
	value: 'send',
	name: 'Send',
	action: 'Send template message',
	description: 'Send a message created from a template',
	endpoint: { method: 'POST', path: '/messages/send-template', permission: 'messages:send', sends: 'other' },
	fields: [to, modelChooses('to'), templateToSend, templateVariables],
	additionalFields: [
		{
			...variablesJson,
			description:
				"Values for the placeholders, as an object. Use it instead of 'Template Variables' if an expression selects the template.",
		},
	],
	options: messageOptions,
	request: ({ parameters: { variables, ...others } }) => ({
		parameters: { ...others, ...variablesOf(variables, templateVariables.displayName) },
	}),
};
