import { SEND_MESSAGE } from '../../api/endpoints';
import { modelChooses } from '../../fields/allowedRecipients';
import { to } from '../../fields/recipient';
import { format, messageText, partsOf, splitLongText } from '../../fields/messageText';
import { messageOptions } from '../../fields/recipientOptions';
import type { Operation } from '../../operation/operation';

export const send: Operation = {
	value: 'send',
	name: 'Send',
	action: 'Send text message',
	description: 'Send a text message to a person or group. Status events report its delivery.',
	endpoint: SEND_MESSAGE,
	fields: [to, modelChooses('to'), messageText],
	options: [
		...messageOptions,
		{
			displayName: 'Find Message ID',
			name: 'findMessageId',
			type: 'boolean',
			default: false,
			description:
				"Whether to look for the message in its chat at the end of the run, and output its 'message_id'. Status events may name the message by this ID.",
			api: [],
		},
		format,
		splitLongText,
		{
			displayName: 'Priority',
			name: 'priority',
			type: 'number',
			typeOptions: { minValue: 1, numberPrecision: 0 },
			default: 3,
			placeholder: 'e.g. 1',
			description:
				'Priority in the queue of the service. Lower numbers are sent first; 1 is the highest priority.',
		},
		{
			displayName: 'Wait Until Sent',
			name: 'sync',
			type: 'boolean',
			default: false,
			description:
				"Whether to wait until the message is sent instead of continuing as soon as it is queued. Without 'Max Concurrency', messages then go out one at a time.",
		},
	],
	parts: partsOf,
};
