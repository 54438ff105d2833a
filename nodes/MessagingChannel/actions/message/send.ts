import { SEND_MESSAGE } from '../../api/endpoints';
import { to } from '../../fields/chats';
import { messageText } from '../../fields/messageText';
import type { Operation } from '../../operation/operation';

export const send: Operation = {
	value: 'send',
	name: 'Send',
	action: 'Send text message',
	description: 'Queue a text message to a person or group. Its delivery is reported by status events.',
	endpoint: SEND_MESSAGE,
	fields: [to, messageText],
	options: [
		{
			displayName: 'Priority',
			name: 'priority',
			type: 'number',
			typeOptions: { minValue: 1, numberPrecision: 0 },
			default: 3,
			description: 'Place in the queue of the service: 1 is sent first, and a higher number later',
		},
		{
			displayName: 'Wait Until Sent',
			name: 'sync',
			type: 'boolean',
			default: false,
			description:
				'Whether to wait until the message is handed to the channel, instead of going on as soon as it is queued',
		},
	],
};
