import { EVENT_OPTIONS } from '../../../nodes/MessagingChannel/fields/events';

test('the events that can be registered are offered, in the order of their labels', () => {
	expect(EVENT_OPTIONS.map(({ value }) => value).sort()).toEqual([
		'connection.connected',
		'connection.disconnected',
		'message.received',
		'message.sent',
		'message.status',
	]);
	const labels = EVENT_OPTIONS.map(({ name }) => name);
	expect(labels).toEqual([...labels].sort());
});
