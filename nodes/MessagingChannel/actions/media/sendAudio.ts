import type { Operation } from '../../operation/operation';
import { sendFields } from './mediaFields';

export const sendAudio: Operation = {
	value: 'sendAudio',
	name: 'Send Audio',
	action: 'Send audio file',
	description: 'Send an audio file to a person or group',
	endpoint: { method: 'POST', path: '/messages/send-audio', permission: 'messages:send', sends: 'audio' },
	...sendFields,
};
