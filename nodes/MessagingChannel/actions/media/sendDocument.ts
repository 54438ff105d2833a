import type { Operation } from '../../operation/operation';
import { sendFields } from './mediaFields';

export const sendDocument: Operation = {
	value: 'sendDocument',
	name: 'Send Document',
	action: 'Send document',
	description: 'Send a document to a person or group',
	endpoint: {
		method: 'POST',
		path: '/messages/send-document',
		permission: 'messages:send',
		sends: 'document',
	},
	...sendFields,
};
