import { allowedRecipients, modelChooses } from '../../fields/allowedRecipients';
import { to } from '../../fields/recipient';
import { messageText } from '../../fields/messageText';
import type { Operation } from '../../operation/operation';
import { requireFuture, scheduledAt, scheduledMessageId } from './scheduledMessageFields';

export const update: Operation = {
	value: 'update',
	name: 'Update',
	action: 'Update scheduled message',
	description:
		'Update a scheduled message that has not been sent yet. Only the fields that you add are changed.',
	endpoint: {
		method: 'PUT',
		path: '/messages/scheduled/{id}',
		permission: 'messages:send',
		inferred: 'endpoint',
	},
	fields: [scheduledMessageId, modelChooses('/updateFields.to')],
	updateFields: [messageText, { ...scheduledAt, required: true }, to],
	options: [allowedRecipients],
	request: ({ parameters }) => ({
		parameters,
		beforeAttempt: (now) => requireFuture(parameters, now),
	}),
};
