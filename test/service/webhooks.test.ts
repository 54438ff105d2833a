import { createHmac } from 'node:crypto';

import { eventually } from '../support/poll';
import { callerOf, startReceiver, useService, type Receiver } from '../support/service/testing';

const service = useService();
let receiver: Receiver;
const call = callerOf(() => service);
const from = '905551112233';

beforeAll(async () => {
	receiver = await startReceiver();
});
beforeEach(async () => {
	receiver.received.length = 0;
	receiver.answers.length = 0;
});
afterAll(async () => await receiver.stop());

const register = (more: object = {}) => call('POST', '/webhooks', { url: receiver.url, ...more });
const hmac = (body: Buffer, secret: string) => createHmac('sha256', secret).update(body).digest('hex');

describe('the configuration', () => {
	test('is missing at first, has the defaults, and is disabled by DELETE', async () => {
		expect((await call('GET', '/webhooks')).status).toBe(404);
		await service.control.configure({ webhookBeforeSet: 'empty' });
		expect((await call('GET', '/webhooks')).body.data).toMatchObject({ url: '', is_active: false });
		const config = {
			url: receiver.url,
			events: ['message.received', 'message.sent', 'message.status'],
			is_active: true,
			timeout_seconds: 30,
		};
		expect((await call('POST', '/webhooks', { url: receiver.url })).body.data).toEqual(config);
		expect((await call('DELETE', '/webhooks')).status).toBe(200);
		expect((await call('GET', '/webhooks')).body.data).toEqual({ ...config, is_active: false });
		await service.control.incomingMessage({ from, body: 'nobody hears it' });
		expect(await service.control.deliveries()).toEqual([]);
	});

	test('an unknown event is refused with the list of valid ones', async () => {
		const answer = await call('POST', '/webhooks', { url: receiver.url, events: ['message.delivered'] });
		expect(answer.status).toBe(400);
		expect(answer.body.valid_events).toHaveLength(5);
	});

	test('in production only HTTPS is taken', async () => {
		await service.control.configure({ production: true });
		expect((await register()).status).toBe(400);
		expect((await call('POST', '/webhooks', { url: 'https://hook.example/' })).status).toBe(200);
	});
});

describe('a delivery', () => {
	test('is signed over its raw bytes and carries every header', async () => {
		const begun = Math.floor(Date.now() / 1000);
		await register();
		const { body } = await call('POST', '/webhooks/rotate-secret');
		const { eventId } = await service.control.incomingMessage({ from, body: 'Grüße 👋' });
		await service.control.idle();
		const [delivery] = receiver.received;
		expect(delivery?.headers).toMatchObject({
			'x-service-signature': hmac(delivery?.body ?? Buffer.of(), String(body.secret)),
			'x-service-event': 'message.received',
			'x-service-event-id': eventId,
			'x-service-account-id': 'account-1',
			'user-agent': 'Service-Webhook/1.0',
		});
		const sentAt = Number(delivery?.headers['x-service-timestamp']);
		expect(sentAt).toBeGreaterThanOrEqual(begun);
		expect(sentAt).toBeLessThanOrEqual(Date.now() / 1000);
		expect(JSON.parse(String(delivery?.body))).toMatchObject({
			event: 'message.received',
			chat: { id: `${from}@c.us`, phone: from, type: 'individual' },
			message: { body: 'Grüße 👋', from_me: false, has_media: false, media: null },
		});
	});

	test('is repeated with the same event id, a fresh timestamp and the current secret', async () => {
		await register();
		await service.control.setRedelivery({ maxAttempts: 4, backoffMs: 5 });
		receiver.answers.push(500, 401, 503);
		await service.control.incomingMessage({ from, body: 'again' });
		await service.control.idle();
		expect(receiver.received).toHaveLength(4);
		expect(new Set(receiver.received.map(({ headers }) => headers['x-service-event-id'])).size).toBe(1);
		const [record] = await service.control.deliveries();
		expect(record).toMatchObject({ delivered: true, finished: true });
		expect(record?.attempts.map(({ status }) => status)).toEqual([500, 401, 503, 200]);
		expect(record?.attempts[0]?.responseBody).toBe('answer 500');
	});

	test('fails when the answer takes longer than timeout_seconds, and ends after the last attempt', async () => {
		await register({ timeout_seconds: 1 });
		await service.control.setRedelivery({ maxAttempts: 2, backoffMs: 5 });
		receiver.answers.push(null, 500);
		await service.control.incomingMessage({ from, body: 'slow' });
		await service.control.idle();
		const [record] = await service.control.deliveries();
		expect(record).toMatchObject({ delivered: false, finished: true });
		expect(record?.attempts.map(({ error, status }) => error ?? status)).toEqual(['timeout', 500]);
	});

	test('fails sooner when something on the way gives up sooner', async () => {
		await register({ timeout_seconds: 3_600 });
		await service.control.setRedelivery({ maxAttempts: 1, backoffMs: 5, timeoutMs: 50 });
		receiver.answers.push(null);
		await service.control.incomingMessage({ from, body: 'slow' });
		await service.control.idle();
		const [record] = await service.control.deliveries();
		expect(record?.attempts.map(({ error, status }) => error ?? status)).toEqual(['timeout']);
	});

	test('a refused connection is recorded', async () => {
		await call('POST', '/webhooks', { url: 'http://127.0.0.1:1/' });
		await service.control.setRedelivery({ maxAttempts: 1, backoffMs: 5 });
		await service.control.incomingMessage({ from, body: 'lost' });
		const [record] = await eventually(service.control.deliveries, ([first]) => first?.finished === true);
		expect(record?.attempts).toMatchObject([{ status: null, error: 'ECONNREFUSED' }]);
	});

	test('only goes out for the selected events', async () => {
		await call('POST', '/webhooks', { url: receiver.url, events: ['connection.disconnected'] });
		await service.control.incomingMessage({ from, body: 'not selected' });
		await service.control.setAccount({ status: 'disconnected' });
		await service.control.setAccount({ status: 'connected' });
		await service.control.idle();
		const events = receiver.received.map(({ headers }) => headers['x-service-event']);
		expect(events).toEqual(['connection.disconnected']);
	});
});

test('POST /webhooks/test sends one sample and tells the outcome', async () => {
	expect((await call('POST', '/webhooks/test')).status).toBe(404);
	await register();
	receiver.answers.push(503);
	expect((await call('POST', '/webhooks/test')).body.data).toMatchObject({ delivered: false, status: 503 });
	expect((await call('POST', '/webhooks/test')).body.data).toMatchObject({ delivered: true, status: 200 });
	expect(receiver.received).toHaveLength(2);
});

describe('a sample can be', () => {
	const ids = () => receiver.received.map(({ headers }) => headers['x-service-event-id']);

	test('late, with an answer that does not name it', async () => {
		await register();
		await service.control.configure({ sample: { sent: { afterMs: 20 }, named: false } });
		expect((await call('POST', '/webhooks/test')).body.data).toEqual({ delivered: false, status: null });
		expect(receiver.received).toEqual([]);
		await service.control.idle();
		expect(receiver.received).toHaveLength(1);
	});

	test('left out, while a customer writes', async () => {
		await register();
		await service.control.configure({ sample: { sent: 'never', messagesBefore: 1 } });
		const { event_id } = (await call('POST', '/webhooks/test')).body.data as { event_id: string };
		await service.control.idle();
		expect(ids()).toEqual([expect.not.stringContaining(event_id)]);
	});

	test('delivered again like any event', async () => {
		await register();
		await service.control.configure({
			sample: { redelivered: true },
			redelivery: { maxAttempts: 3, backoffMs: 5 },
		});
		receiver.answers.push(503, 503);
		const { data } = (await call('POST', '/webhooks/test')).body;
		expect(data).toMatchObject({ delivered: false, status: 503 });
		await service.control.idle();
		const { event_id } = data as { event_id: string };
		expect(ids()).toEqual([event_id, event_id, event_id]);
	});
});

describe('hand-made deliveries', () => {
	test.each([
		['missing', undefined],
		['wrong', /^[0-9a-f]{64}$/],
		['truncated', /^[0-9a-f]{32}$/],
		['other-key', /^[0-9a-f]{64}$/],
	] as const)('with a signature that is %s', async (signature, pattern) => {
		await register();
		await service.control.deliver({ body: '{}', signature });
		const sent = receiver.received[0]?.headers['x-service-signature'];
		const { secret } = await service.control.webhook();
		expect(sent).not.toBe(hmac(Buffer.from('{}'), secret));
		if (pattern) expect(sent).toMatch(pattern);
		else expect(sent).toBeUndefined();
	});

	test('several times at once, with an old timestamp and raw bytes', async () => {
		await register();
		const attempts = await service.control.deliver({
			body: { base64: Buffer.from([0xff, 0xfe]).toString('base64') },
			timestamp: { offsetSeconds: -301 },
			eventId: 'same',
			headers: { 'X-Extra': 'yes', 'User-Agent': null },
			times: 3,
		});
		expect(attempts.map(({ status }) => status)).toEqual([200, 200, 200]);
		for (const { headers, body } of receiver.received) {
			expect(body).toEqual(Buffer.from([0xff, 0xfe]));
			expect(headers).toMatchObject({ 'x-service-event-id': 'same', 'x-extra': 'yes' });
			expect(headers['user-agent']).toBeUndefined();
			expect(Date.now() / 1000 - Number(headers['x-service-timestamp'])).toBeGreaterThan(300);
		}
	});

	test('an unknown event passes the selection', async () => {
		await register();
		await service.control.emitEvent({ event: 'message.reaction', body: { event: 'message.reaction' } });
		await service.control.idle();
		expect(receiver.received[0]?.headers['x-service-event']).toBe('message.reaction');
	});
});
