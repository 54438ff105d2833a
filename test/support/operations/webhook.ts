import { caseWith, get, operationsOf, post, remove, uuid, wrong } from './case';

/** Nothing listens on this port. */
const url = 'http://127.0.0.1:9/events';

const small = { url, events: ['message.received'], timeout_seconds: 10 };
const calls = [post('/webhooks', small)];

const minimal = {
	url: 'https://example.com/events',
	events: ['message.received', 'message.sent', 'message.status'],
};
const full = {
	url: 'https://example.com/events',
	events: ['connection.connected', 'connection.disconnected'],
	timeout_seconds: 5,
};

export const webhook = operationsOf('webhook', {
	delete: { calls, minimal: caseWith({}, remove('/webhooks'), { deleted: true }), bad: [] },
	get: { calls, minimal: caseWith({}, get('/webhooks'), { ...small, is_active: true }), bad: [] },
	rotateSecret: {
		minimal: caseWith({}, post('/webhooks/rotate-secret'), {
			secret: /^[\da-f]{64}$/,
			warning: /Paste it as .* then delete this execution\.$/,
		}),
		bad: [],
		isOnce: true,
	},
	set: {
		minimal: caseWith({ url: minimal.url }, post('/webhooks', minimal), {
			...minimal,
			is_active: true,
			timeout_seconds: 30,
		}),
		full: caseWith(
			{ url: full.url, events: full.events, additionalFields: { timeoutSeconds: 5 } },
			post('/webhooks', full),
			{ ...full, is_active: true },
		),
		bad: [
			wrong('url', '', 'URL'),
			wrong('events', ['message.deleted'], 'Events', 'message.deleted'),
			wrong('events', [], 'Events'),
			wrong('additionalFields.timeoutSeconds', 0, 'Timeout (Seconds)', '0'),
		],
	},
	test: {
		calls,
		minimal: caseWith({}, post('/webhooks/test'), { event_id: uuid, delivered: false, status: null }),
		bad: [],
	},
});
