import { messageText } from '../../fields/messageText';
import type { Operation } from '../../operation/operation';

export const validate: Operation = {
	value: 'validate',
	name: 'Validate Text',
	action: 'Validate message text',
	description: "Check a text against the service's content policy and length limit without sending it",
	endpoint: { method: 'POST', path: '/messages/validate', permission: 'messages:read', idempotent: true },
	fields: [messageText],
};
