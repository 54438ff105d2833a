import type { IDataObject } from 'n8n-workflow';

import { parseChat, parseMessage } from '../../../../nodes/MessagingChannel/api/message';
import { fetchedMessage } from '../../../../nodes/MessagingChannel/trigger/catchUp/fetchedMessage';

const chat = { id: '905551112233@c.us', name: 'Ada', type: 'individual', is_muted: false };
const parsed = (listed: typeof chat | { id: string }) => ({
	...parseChat(listed),
	id: listed.id,
	lastMessageAt: 0,
});
const message = { id: 'm', from: chat.id, body: 'Hello', timestamp: 1_700_000_000, from_me: false };

test('a message becomes the event that is delivered for it', () => {
	expect(fetchedMessage('account', parsed(chat), parseMessage(message))).toMatchObject({
		id: 'message m',
		body: {
			event: 'message.received',
			account_id: 'account',
			chat: { id: chat.id, name: 'Ada', phone: '905551112233', type: 'individual' },
			message,
		},
	});
});

test('what is unknown is left out: the phone number of a group, and an account that the service does not name', () => {
	const group = { id: '1203@g.us', name: 'Team', type: 'group' };
	expect(fetchedMessage(undefined, parsed(group), parseMessage(message))?.body).toStrictEqual({
		event: 'message.received',
		chat: group,
		message,
	});
});

test.each<IDataObject>([
	{ from_me: true },
	{ id: '' },
	{ id: undefined },
	{ timestamp: 'now' },
	{ timestamp: 0 },
	{ from_me: null },
	{ from_me: undefined },
])('%j makes none', (other) => {
	expect(fetchedMessage('account', parsed(chat), parseMessage({ ...message, ...other }))).toBeUndefined();
});
