import { create as broadcast } from '../../../nodes/MessagingChannel/actions/broadcast/create';
import { sendImage } from '../../../nodes/MessagingChannel/actions/media/sendImage';
import { send } from '../../../nodes/MessagingChannel/actions/message/send';
import { create as schedule } from '../../../nodes/MessagingChannel/actions/scheduledMessage/create';
import { located, requestFor } from '../entered';

const text = '**Sale** today';
const to = located('phone', '905551234567');

test.each([
	['a text', send, { to, message: text }, 'message'],
	['a scheduled text', schedule, { to, message: text, scheduledAt: '2099-01-01T00:00:00Z' }, 'message'],
	['a broadcast', broadcast, { name: 'Sale', recipients: ['905551234567'], message: text }, 'message'],
	['a caption', sendImage, { to, additionalFields: { caption: text } }, 'caption'],
])('%s in Markdown is sent with the marks of the channel', (_, operation, entered, name) => {
	const sent = (options: object) => requestFor(operation, { ...entered, options }).parameters?.[name];
	expect(sent({ format: 'markdown' })).toBe('*Sale* today');
	expect(sent({})).toBe(text);
});
