import type { INodePropertyOptions } from 'n8n-workflow';

import { inferredFieldsNotice } from '../operation/inferred';

/** The events that a webhook can receive (API spec, "Events"), the most used ones first. */
export const EVENT_OPTIONS: INodePropertyOptions[] = (
	[
		{
			name: 'Message Received',
			value: 'message.received',
			description: 'The account received a message',
		},
		{
			name: 'Message Status Changed',
			value: 'message.status',
			description: 'A message was delivered or read',
		},
		{
			name: 'Message Sent',
			value: 'message.sent',
			description: 'An outgoing message was handed over to the channel',
		},
		{
			name: 'Connection Lost',
			value: 'connection.disconnected',
			description: 'The account lost its connection to the channel',
		},
		{
			name: 'Connection Restored',
			value: 'connection.connected',
			description: 'The account connected to the channel',
		},
	] satisfies INodePropertyOptions[]
).map((option) => {
	const notice = inferredFieldsNotice(option.value);
	return notice ? { ...option, description: `${option.description}. ${notice}` } : option;
});
