import type { IDataObject } from 'n8n-workflow';

import {
	chatItemOf,
	chatKeyOf,
	messagesIn,
	withMessages,
} from '../../../../nodes/MessagingChannel/trigger/combining/chatItem';

const eventOf = (id: string, message: IDataObject) => ({
	json: { event_id: id, event: 'message.received', message, chat: { id: 'a@c.us' }, delivered_at: 'now' },
});

test('the text of an item is that of the messages that have one', () => {
	const picture = { id: '1', timestamp: 1_700_000_001, has_media: true };
	const messages = [picture, { ...picture, body: '' }, { id: '3', timestamp: 1_700_000_003, body: 'Look' }];
	const item = chatItemOf(messages.map((message, index) => eventOf(`event ${index}`, message)));

	expect(item.json.text).toBe('Look');
	expect(messagesIn(item)).toEqual(
		messages.map((message, index) => ({ eventId: `event ${index}`, message })),
	);
});

test('the item of events that arrive in any order is that of their messages, the oldest first', () => {
	const arriving = [
		{ id: '3', timestamp: 1_700_000_003, name: 'Ada', at: '2030-01-31T09:00:03.000Z' },
		{ id: '2', timestamp: 1_700_000_002, name: 'Ada', at: '2030-01-31T09:00:09.000Z' },
		{ id: 'also 2', timestamp: 1_700_000_002, name: 'Ada L.', at: '2030-01-31T09:00:02.000Z' },
		{ id: '1', timestamp: 1_700_000_001, name: 'Ada Lovelace', at: '2030-01-31T09:00:01.000Z' },
	];
	const items = arriving.map(({ id, timestamp, name, at }) => {
		const { json } = eventOf(`event ${id}`, { id, timestamp, body: `Text ${id}` });
		return { json: { ...json, account_id: 'account', chat: { id: 'a@c.us', name }, delivered_at: at } };
	});

	expect(chatItemOf(items).json).toEqual({
		account_id: 'account',
		chat: { id: 'a@c.us', name: 'Ada Lovelace' },
		messages: [
			{ id: '1', timestamp: 1_700_000_001, body: 'Text 1' },
			{ id: '2', timestamp: 1_700_000_002, body: 'Text 2' },
			{ id: 'also 2', timestamp: 1_700_000_002, body: 'Text also 2' },
			{ id: '3', timestamp: 1_700_000_003, body: 'Text 3' },
		],
		text: 'Text 1\nText 2\nText also 2\nText 3',
		event_ids: ['event 1', 'event 2', 'event also 2', 'event 3'],
		delivered_at: '2030-01-31T09:00:09.000Z',
	});
});

test.each<[string, IDataObject]>([
	['an event', eventOf('1', {}).json],
	['an event with lists of the same names', { event_id: '1', event_ids: ['2'], messages: [{ id: '3' }] }],
	['data without IDs', { messages: [{ id: '3' }] }],
	['data without messages', { event_ids: ['2'] }],
])('%s is no item of several messages', (_, json) => {
	expect(messagesIn({ json })).toBeUndefined();
});

test('an item with other messages keeps the rest', () => {
	const pictures = { picture: { data: '', mimeType: 'image/png' } };
	const item = chatItemOf([1, 2].map((id) => eventOf(`event ${id}`, { id: `${id}`, body: `Text ${id}` })));
	const second = { eventId: 'event 2', message: { id: '2', body: 'Text 2' } };

	expect(withMessages({ ...item, binary: pictures }, [second])).toEqual({
		...chatItemOf([eventOf('event 2', second.message)]),
		binary: pictures,
	});
});

test.each<[IDataObject, string | undefined]>([
	[{ chat: { id: 'a@c.us' }, message: { from: 'b@c.us' } }, 'a@c.us'],
	[{ chat: { id: '' }, message: { from: 'b@c.us' } }, 'b@c.us'],
	[{ message: { from: 'b@c.us' } }, 'b@c.us'],
	[{ chat: 'a@c.us', message: null }, undefined],
])('the chat of %j is %s', (body, chat) => {
	expect(chatKeyOf(body)).toBe(chat);
});
