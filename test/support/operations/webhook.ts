import { get, post, remove, uuid, type ApiCall, type OperationCases } from './case';

/** Nothing listens on this port. */
const url = 'http://127.0.0.1:9/events';

const set: ApiCall = post('/webhooks', { url, events: ['message.received'], timeout_seconds: 10 });

export const webhook: readonly OperationCases[] = [
	{
		resource: 'webhook',
		operation: 'delete',
		calls: [set],
		minimal: {
			parameters: {},
			requests: [remove('/webhooks')],
			items: [{ json: { deleted: true } }],
		},
		bad: [],
	},
	{
		resource: 'webhook',
		operation: 'get',
		calls: [set],
		minimal: {
			parameters: {},
			requests: [get('/webhooks')],
			items: [{ json: { url, events: ['message.received'], is_active: true, timeout_seconds: 10 } }],
		},
		bad: [],
	},
	{
		resource: 'webhook',
		operation: 'rotateSecret',
		minimal: {
			parameters: {},
			requests: [post('/webhooks/rotate-secret')],
			items: [
				{
					json: {
						secret: /^[\da-f]{64}$/,
						warning: /Paste it as .* then delete this execution\.$/,
					},
				},
			],
		},
		bad: [],
		isOnce: true,
	},
	{
		resource: 'webhook',
		operation: 'set',
		minimal: {
			parameters: { url: 'https://example.com/events' },
			requests: [
				post('/webhooks', {
					url: 'https://example.com/events',
					events: ['message.received', 'message.sent', 'message.status'],
				}),
			],
			items: [
				{
					json: {
						url: 'https://example.com/events',
						events: ['message.received', 'message.sent', 'message.status'],
						is_active: true,
						timeout_seconds: 30,
					},
				},
			],
		},
		full: {
			parameters: {
				url: 'https://example.com/events',
				events: ['connection.connected', 'connection.disconnected'],
				additionalFields: { timeoutSeconds: 5 },
			},
			requests: [
				post('/webhooks', {
					url: 'https://example.com/events',
					events: ['connection.connected', 'connection.disconnected'],
					timeout_seconds: 5,
				}),
			],
			items: [
				{
					json: {
						url: 'https://example.com/events',
						events: ['connection.connected', 'connection.disconnected'],
						is_active: true,
						timeout_seconds: 5,
					},
				},
			],
		},
		bad: [
			{ at: 'url', value: '', label: 'URL' },
			{ at: 'events', value: ['message.deleted'], label: 'Events', says: 'message.deleted' },
			{ at: 'events', value: [], label: 'Events' },
			{
				at: 'additionalFields.timeoutSeconds',
				value: 0,
				label: 'Timeout (Seconds)',
				says: '0',
				with: { additionalFields: {} },
			},
		],
	},
	{
		resource: 'webhook',
		operation: 'test',
		calls: [set],
		minimal: {
			parameters: {},
			requests: [post('/webhooks/test')],
			items: [{ json: { event_id: uuid, delivered: false, status: null } }],
		},
		bad: [],
	},
];
