import type { IDataObject } from 'n8n-workflow';

import { chatItemOf, messagesIn } from '../../../../nodes/MessagingChannel/trigger/combining/chatItem';

const eventOf = (id: string, message: IDataObject) => ({
	json: { event_id: id, event: 'message.received', message, chat: { id: 'a@c.us' }, delivered_at: 'now' },
});

test('the text of an item is that of the messages that have one', () => {
	const picture = { id: '1', timestamp: 1, has_media: true };
	const messages = [picture, { ...picture, body: '' }, { id: '3', timestamp: 3, body: 'Look' }];
	const item = chatItemOf(messages.map((message, index) => eventOf(`event ${index}`, message)));

	expect(item.json.text).toBe('Look');
	expect(messagesIn(item)).toEqual(
		messages.map((message, index) => ({ eventId: `event ${index}`, message })),
	);
});

test.each<[string, IDataObject]>([
	['an event', eventOf('1', {}).json],
	['an event with lists of the same names', { event_id: '1', event_ids: ['2'], messages: [{ id: '3' }] }],
	['data without IDs', { messages: [{ id: '3' }] }],
	['data without messages', { event_ids: ['2'] }],
])('%s is no item of several messages', (_, json) => {
	expect(messagesIn({ json })).toBeUndefined();
});
