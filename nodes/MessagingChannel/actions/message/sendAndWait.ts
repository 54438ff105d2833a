import { SEND_AND_WAIT_OPERATION } from 'n8n-workflow';

import { SEND_MESSAGE } from '../../api/endpoints';
import { allowedRecipients, modelChooses } from '../../fields/allowedRecipients';
import { defaultCountryCode, recipientOf, to } from '../../fields/recipient';
import { messageText } from '../../fields/messageText';
import { InvalidInput, shown } from '../../operation/input';
import type { Field, Operation } from '../../operation/operation';
import type { Parameters } from '../../api/apiRequest';
import { isPerson } from '../../recipients/recipient';
import { requireCountryCode, sendAndWaitInteraction } from '../../sendAndWait/interaction';
import { approvalOptions } from './approvalOptions';
import { formFields } from './formFields';
import { limitWaitTime } from './limitWaitTime';
import { formerOptions, pageLanguage, texts } from './pageOptions';

/** A constant, because n8n's linter demands title case in literals and n8n writes its name in lower case. */
const ATTRIBUTION_LABEL = 'Append n8n Attribution';

const appendAttribution: Field = {
	displayName: ATTRIBUTION_LABEL,
	name: 'appendAttribution',
	type: 'boolean',
	default: false,
	description: 'Whether to end the message with "Sent automatically with n8n"',
	api: [],
};

const answerInChat: Field = {
	displayName: 'Answer in Chat',
	name: 'answerInChat',
	type: 'boolean',
	default: false,
	description:
		"Whether the answer can be written back in the chat. The message then says how, and has only one link. A published Messaging Channel Trigger in this n8n needs the option 'Take Answers', with the same API key.",
	api: [],
};

const allowedResponders: Field = {
	displayName: 'Allowed Responders',
	name: 'allowedResponders',
	type: 'string',
	default: '',
	placeholder: 'e.g. +90 555 111 22 33, +90 555 444 55 66',
	description:
		"Phone numbers of the members of a group whose answers count, separated by commas. Only with 'Answer in Chat', and only for a group. The link then answers nothing. Without this option, everybody can answer.",
	list: true,
	// If it were empty, everybody could answer.
	required: true,
	// A number without its country code needs the option for it.
	readLast: true,
	api: [],
	toApi: (entered: string[], settings) => ({
		allowedResponders: entered.map((each) => responderOf(each, settings)),
	}),
};

/** @throws InvalidInput if it is no phone number and no ID of a person, or has no country code */
function responderOf(entered: string, settings: Parameters): string {
	const recipient = recipientOf(entered, settings);
	requireCountryCode(recipient, entered);
	if (isPerson(recipient)) return recipient;
	throw new InvalidInput(
		`has an entry that is no person: ${shown(entered)}`,
		"Enter the members' phone numbers, or their IDs that end with @lid.",
	);
}

export const sendAndWait: Operation = {
	value: SEND_AND_WAIT_OPERATION,
	name: 'Send and Wait for Response',
	action: 'Send message and wait for response',
	description: 'Send a text message with links and wait until someone responds',
	endpoint: SEND_MESSAGE,
	notice:
		"The service does not support buttons, so the message contains links. A link opens a page in your n8n, and only the button on that page submits the response. Anyone who has a link can respond. With 'Answer in Chat', a reply in the chat counts too; with 'Allowed Responders', only that.",
	fields: [
		to,
		modelChooses('to'),
		{ ...messageText, placeholder: 'e.g. May we ship order 1234?' },
		{
			displayName: 'Response Type',
			name: 'responseType',
			type: 'options',
			default: 'approval',
			description: 'Type of response to wait for',
			options: [
				{
					name: 'Approval',
					value: 'approval',
					description: 'A link to approve, with an optional link to decline',
				},
				{ name: 'Free Text', value: 'freeText', description: 'A page with a text field' },
				{ name: 'Custom Form', value: 'customForm', description: 'A page with the fields that you define' },
			],
			api: [],
		},
		approvalOptions,
		formFields,
	],
	options: [
		allowedRecipients,
		defaultCountryCode,
		answerInChat,
		allowedResponders,
		limitWaitTime,
		appendAttribution,
		pageLanguage,
		texts,
		...formerOptions,
	],
	interaction: sendAndWaitInteraction,
};
