import { SET_WEBHOOK } from '../../api/endpoints';
import { EVENT_OPTIONS } from '../../fields/events';
import type { Operation } from '../../operation/operation';

export const set: Operation = {
	value: 'set',
	name: 'Set',
	action: 'Set webhook',
	description: "Choose where the account's events are sent to. It replaces the address that is set now.",
	endpoint: SET_WEBHOOK,
	notice:
		'An account has one webhook. Setting it here takes the events away from the Messaging Channel Trigger, which sets its own when you publish its workflow.',
	fields: [
		{
			displayName: 'URL',
			name: 'url',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://example.com/events',
			description: 'Address that receives the events. It must begin with https.',
		},
		{
			displayName: 'Events',
			name: 'events',
			type: 'multiOptions',
			default: ['message.received', 'message.sent', 'message.status'],
			required: true,
			description: 'Events that are sent to the address',
			options: EVENT_OPTIONS,
		},
	],
	additionalFields: [
		{
			displayName: 'Timeout',
			name: 'timeoutSeconds',
			type: 'number',
			typeOptions: { minValue: 1, numberPrecision: 0 },
			default: 30,
			description: 'Seconds that the service waits for an answer before it counts the delivery as failed',
		},
	],
};
