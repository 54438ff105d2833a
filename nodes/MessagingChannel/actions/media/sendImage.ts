import type { Operation } from '../../operation/operation';
import { sendFields } from './mediaFields';

export const sendImage: Operation = {
	value: 'sendImage',
	name: 'Send Image',
	action: 'Send image',
	description: 'Send an image to a person or group',
	endpoint: { method: 'POST', path: '/messages/send-image', permission: 'messages:send', sends: 'image' },
	...sendFields,
};
