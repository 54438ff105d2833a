import { modelChooses } from '../../fields/allowedRecipients';
import { to } from '../../fields/recipient';
import { format, messageText } from '../../fields/messageText';
import { recipientOptions } from '../../fields/recipientOptions';
import type { Operation } from '../../operation/operation';
import { requireFuture, scheduledAt } from './scheduledMessageFields';

export const create: Operation = {
	value: 'create',
	name: 'Create',
	action: 'Schedule message',
	description: 'Schedule a text message for a later time',
	endpoint: {
		method: 'POST',
		path: '/messages/schedule',
		permission: 'messages:send',
		sends: 'other',
		listedBy: 'Scheduled Message > Get Many',
		inferred: 'body',
	},
	fields: [to, modelChooses('to'), messageText, { ...scheduledAt, required: true }],
	options: [...recipientOptions, format],
	request: (input) => ({
		parameters: input.parameters,
		// Checked only now, because what was scheduled before is not scheduled again, even if its time has passed.
		beforeAttempt: (now) => requireFuture(input.parameters, now),
	}),
};
