import type { Operation } from '../../operation/operation';
import { sendFields } from './mediaFields';

export const sendVoice: Operation = {
	value: 'sendVoice',
	name: 'Send Voice',
	action: 'Send voice note',
	description: 'Queue a voice note to a person or group',
	endpoint: { method: 'POST', path: '/messages/send-voice', permission: 'messages:send', sends: 'other' },
	...sendFields,
};
