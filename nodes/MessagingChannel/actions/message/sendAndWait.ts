import { SEND_AND_WAIT_OPERATION } from 'n8n-workflow';

import { SEND_MESSAGE } from '../../api/endpoints';
import { to } from '../../fields/chats';
import { messageText } from '../../fields/messageText';
import type { Field, Operation } from '../../operation/operation';
import { sendAndWaitInteraction } from '../../sendAndWait/interaction';
import { approvalOptions } from './approvalOptions';
import { formFields } from './formFields';
import { limitWaitTime } from './limitWaitTime';

/** A name is written as its owner writes it, whatever the case of the words around it. */
const ATTRIBUTION_LABEL = 'Append n8n Attribution';

const appendAttribution: Field = {
	displayName: ATTRIBUTION_LABEL,
	name: 'appendAttribution',
	type: 'boolean',
	default: true,
	description: 'Whether to end the message with "Sent automatically with n8n"',
	api: [],
};

/** An option about the page with the form. */
const ofForm = (option: Pick<Field, 'displayName' | 'name' | 'default' | 'description'>): Field => ({
	...option,
	type: 'string',
	displayOptions: { show: { '/responseType': ['customForm', 'freeText'] } },
	api: [],
});

export const sendAndWait: Operation = {
	value: SEND_AND_WAIT_OPERATION,
	name: 'Send and Wait for Response',
	action: 'Send message and wait for response',
	description: 'Send a text message with links to answer it, and wait until somebody does',
	endpoint: SEND_MESSAGE,
	notice:
		'The service has no buttons, so the message gets links. A link opens a page of your n8n, and only the button on that page answers. Whoever has a link can answer.',
	fields: [
		to,
		{ ...messageText, placeholder: 'e.g. May we ship order 1234?' },
		{
			displayName: 'Response Type',
			name: 'responseType',
			type: 'options',
			default: 'approval',
			description: 'What kind of answer to wait for',
			options: [
				{ name: 'Approval', value: 'approval', description: 'One link to approve, or two to choose from' },
				{ name: 'Free Text', value: 'freeText', description: 'A page with one text field' },
				{ name: 'Custom Form', value: 'customForm', description: 'A page with the fields that you choose' },
			],
			api: [],
		},
		approvalOptions,
		formFields,
	],
	options: [
		limitWaitTime,
		appendAttribution,
		ofForm({
			displayName: 'Message Button Label',
			name: 'messageButtonLabel',
			default: 'Respond',
			description: 'Text before the link in the message',
		}),
		ofForm({
			displayName: 'Response Form Title',
			name: 'responseFormTitle',
			default: '',
			description: 'Title of the page with the form',
		}),
		ofForm({
			displayName: 'Response Form Description',
			name: 'responseFormDescription',
			default: '',
			description: 'Text above the form, in place of the message',
		}),
		ofForm({
			displayName: 'Response Form Button Label',
			name: 'responseFormButtonLabel',
			default: 'Submit',
			description: 'Text on the button that sends the form off',
		}),
	],
	interaction: sendAndWaitInteraction,
};
