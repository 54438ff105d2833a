import { EVENT_OPTIONS } from '../../../nodes/MessagingChannel/fields/events';

test('the events that can be registered are offered, messages first', () => {
	expect(EVENT_OPTIONS.map(({ value }) => value).sort()).toEqual([
		'connection.connected',
		'connection.disconnected',
		'message.received',
		'message.sent',
		'message.status',
	]);
	expect(EVENT_OPTIONS[0]?.value).toBe('message.received');
});
