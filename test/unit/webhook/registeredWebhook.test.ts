import type { Client } from '../../../nodes/MessagingChannel/api/client';
import { ApiError } from '../../../nodes/MessagingChannel/api/errors';
import { readRegisteredWebhook } from '../../../nodes/MessagingChannel/webhook/registeredWebhook';

const ALL = [
	'message.received',
	'message.sent',
	'message.status',
	'connection.connected',
	'connection.disconnected',
];

const URL = 'https://n8n.example.com/webhook/one/webhook';

/** What is read of a response. */
const readFrom = async (respond: () => unknown) => {
	const calls: unknown[] = [];
	const call = async (request: unknown) => {
		calls.push(request);
		return await Promise.resolve(respond() as never);
	};
	const webhook = await readRegisteredWebhook({ call } as Pick<Client, 'call'> as Client);
	expect(calls).toMatchObject([{ endpoint: { method: 'GET', path: '/webhooks' } }]);
	return webhook;
};
const failing = (httpStatus: number, hasOwnCode: boolean) => () => {
	throw new ApiError({ message: 'x', description: '', code: 'not_found', httpStatus, hasOwnCode });
};

test('a webhook is read with its events, its timeout and the time when it was set', async () => {
	const record = {
		url: URL,
		events: ['message.received'],
		timeout_seconds: 5,
		created_at: '2030-01-01T00:00:00Z',
		updated_at: '2030-01-02T00:00:00Z',
	};
	expect(await readFrom(() => ({ success: true, data: record }))).toEqual({
		url: URL,
		events: ['message.received'],
		hasUnknownEvents: false,
		timeoutSeconds: 5,
		hasUnknownTimeout: false,
		since: '2030-01-02T00:00:00.000Z',
	});
	const { updated_at, ...neverChanged } = record;
	expect(updated_at).toBeDefined();
	expect((await readFrom(() => ({ data: neverChanged })))?.since).toBe('2030-01-01T00:00:00.000Z');
});

test('of several, the one counts that is not disabled', async () => {
	const data = [
		{ url: 'https://old.example.com', is_active: false },
		{ url: URL, is_active: true },
	];
	expect((await readFrom(() => ({ success: true, data })))?.url).toBe(URL);
});

test('what a service leaves out has its default', async () => {
	expect(await readFrom(() => ({ data: { url: URL, updated_at: 5 } }))).toEqual({
		url: URL,
		events: ALL,
		hasUnknownEvents: true,
		timeoutSeconds: 30,
		hasUnknownTimeout: false,
		since: undefined,
	});
});

test.each([null, undefined, 'message.received', {}, [1], ['*'], ['MESSAGE.RECEIVED'], ['message.*']])(
	'events in the form %j are not none: another system that has the webhook may want any',
	async (events) => {
		const webhook = await readFrom(() => ({ data: { url: URL, events } }));
		expect([webhook?.events, webhook?.hasUnknownEvents]).toEqual([ALL, true]);
	},
);

test('a list without events is one, and numbers and flags may be texts', async () => {
	const record = { url: URL, events: [], is_active: '1', timeout_seconds: '7', updated_at: 1_893_456_000 };
	expect(await readFrom(() => ({ data: record }))).toEqual({
		url: URL,
		events: [],
		hasUnknownEvents: false,
		timeoutSeconds: 7,
		hasUnknownTimeout: false,
		since: '2030-01-01T00:00:00.000Z',
	});
});

test.each([0, -1, 7.5, 'soon'])(
	'a timeout of %j is not known, and the service would refuse it',
	async (timeout) => {
		const webhook = await readFrom(() => ({ data: { url: URL, timeout_seconds: timeout } }));
		expect([webhook?.timeoutSeconds, webhook?.hasUnknownTimeout]).toEqual([30, true]);
	},
);

const unreadable = (kind: string) => `The service sends 'url' in a form that is not understood: ${kind}`;

test.each<[string, () => unknown, string]>([
	['has another form', () => ({ data: { url: { secret: 1 } } }), unreadable('an object')],
	...[
		{ webhook: { url: URL } },
		{ data: { webhook_url: 'http://n8n' } },
		{ data: { items: [{ url: URL }] } },
	].map((body): [string, () => unknown, string] => [
		`is in another place: ${JSON.stringify(body)}`,
		() => ({ success: true, ...body }),
		unreadable('nothing'),
	]),
	['is not given', failing(500, true), 'x'],
	['is not given by a proxy', failing(404, false), 'x'],
])('a webhook is not missing if it %s', async (_, respond, message) => {
	await expect(readFrom(respond)).rejects.toThrow(message);
});

test.each<[string, () => unknown]>([
	['there is none, which it says', () => ({ success: true, message: 'None. See "https://example.com"' })],
	['its fields are empty', () => ({ data: { events: [], url: '', docs: 'https://example.com' } })],
	['there is none', () => ({ data: null })],
	['the service has none (404)', failing(404, true)],
	['it is disabled', () => ({ data: { url: URL, is_active: false } })],
	['it is disabled, as a number', () => ({ data: { url: URL, is_active: 0 } })],
	['it is null', () => ({ data: { url: null } })],
	['it has no URL', () => ({ data: { url: ' ' } })],
])('nothing is read if %s', async (_, respond) => {
	expect(await readFrom(respond)).toBeUndefined();
});
