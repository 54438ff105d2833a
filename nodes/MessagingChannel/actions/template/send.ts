import { isObjectEmpty } from 'n8n-workflow';

import { to } from '../../fields/chats';
import { templateToSend } from '../../fields/templates';
import { templateVariables, variablesOf } from '../../fields/templateVariables';
import type { Operation } from '../../operation/operation';

export const send: Operation = {
	value: 'send',
	name: 'Send',
	action: 'Send template message',
	description: 'Queue a message made from a template, with a text for each of its placeholders',
	endpoint: { method: 'POST', path: '/messages/send-template', permission: 'messages:send', sends: 'other' },
	fields: [to, templateToSend, templateVariables],
	additionalFields: [
		{
			displayName: 'Variables (JSON)',
			name: 'variables',
			type: 'json',
			default: '{}',
			description:
				'The texts for the placeholders as one object, used instead of Template Variables. For templates that an expression chooses.',
			toApi: (variables: Record<string, unknown>) => (isObjectEmpty(variables) ? {} : { variables }),
		},
	],
	request: ({ parameters: { variables, ...others } }) => ({
		parameters: { ...others, ...variablesOf(variables, templateVariables.displayName) },
	}),
};
