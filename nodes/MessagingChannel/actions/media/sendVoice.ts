import type { Operation } from '../../operation/operation';
import { sendFields } from './mediaFields';

export const sendVoice: Operation = {
	value: 'sendVoice',
	name: 'Send Voice Note',
	action: 'Send voice note',
	description: 'Send a voice note to a person or group',
	endpoint: { method: 'POST', path: '/messages/send-voice', permission: 'messages:send', sends: 'voice' },
	...sendFields,
};
