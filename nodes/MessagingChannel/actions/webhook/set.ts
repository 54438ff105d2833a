import { SET_WEBHOOK } from '../../api/endpoints';
import { EVENT_OPTIONS } from '../../fields/events';
import { validUrl } from '../../fields/url';
import type { Operation } from '../../operation/operation';
import { DEFAULT_TIMEOUT_SECONDS, MAX_TIMEOUT_SECONDS } from '../../webhook/registeredWebhook';

export const set: Operation = {
	value: 'set',
	name: 'Set',
	action: 'Set webhook',
	description: 'Set the URL that receives the events of the account. It replaces the current URL.',
	endpoint: SET_WEBHOOK,
	notice:
		"An account has only one webhook. If you set it here, the Messaging Channel Trigger stops receiving events, unless its option 'If Webhook Exists' is 'Share'. The trigger sets its own webhook when you publish its workflow.",
	fields: [
		{
			displayName: 'URL',
			name: 'url',
			type: 'string',
			default: '',
			required: true,
			mustBeWhole: 'filled',
			placeholder: 'e.g. https://example.com/events',
			description: "URL that receives the events. It must start with 'https://'.",
			toApi: (url: string) => ({ url: validUrl(url, ['https:']) }),
		},
		{
			displayName: 'Events',
			name: 'events',
			type: 'multiOptions',
			default: ['message.received', 'message.sent', 'message.status'],
			required: true,
			description: 'Events to send to the URL',
			options: EVENT_OPTIONS,
		},
	],
	additionalFields: [
		{
			displayName: 'Timeout (Seconds)',
			name: 'timeoutSeconds',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: MAX_TIMEOUT_SECONDS, numberPrecision: 0 },
			default: DEFAULT_TIMEOUT_SECONDS,
			placeholder: 'e.g. 30',
			description: 'How many seconds the service waits for a response before the delivery counts as failed',
		},
	],
};
