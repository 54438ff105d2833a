import type { Operation } from '../../operation/operation';
import { sendFields } from './mediaFields';

export const sendSticker: Operation = {
	value: 'sendSticker',
	name: 'Send Sticker',
	action: 'Send sticker',
	description: 'Send a sticker to a person or group',
	endpoint: { method: 'POST', path: '/messages/send-sticker', permission: 'messages:send', sends: 'sticker' },
	...sendFields,
};
