import { request } from 'node:http';

import type { PhoneState } from '../support/service/phonePage/state';
import { eventually } from '../support/poll';
import { callerOf, startReceiver, useService } from '../support/service/testing';

const ADA = '905551112233';

const service = useService();
const call = callerOf(() => service);

const state = async (chat = '') =>
	(await (await fetch(`${service.origin}/phone/state?chat=${chat}`)).json()) as PhoneState;

/** What a browser sends for a page, and the answer. */
async function post(path: string, body: unknown, headers: Record<string, string> = {}) {
	return await new Promise<{ status?: number; body: unknown }>((resolve, reject) => {
		const sent = request(service.origin + path, { method: 'POST', headers }, (response) => {
			const chunks: Buffer[] = [];
			response.on('data', (chunk: Buffer) => chunks.push(chunk));
			response.on('end', () =>
				resolve({ status: response.statusCode, body: JSON.parse(Buffer.concat(chunks).toString()) }),
			);
		});
		sent.on('error', reject);
		sent.end(JSON.stringify(body));
	});
}

const turn = async (name: string, isOn: boolean) => await post('/phone/switches', { name, isOn });

test.each([
	['a page of another site', { origin: 'https://evil.example.com' }],
	['a file that was opened in a sandbox', { origin: 'null' }],
	['a name that leads to this machine', { host: 'evil.example.com' }],
])('%s cannot use the controls', async (_, headers) => {
	for (const path of ['/control/setAccount', '/phone/switches']) {
		expect(await post(path, { status: 'banned', name: 'slow', isOn: true }, headers)).toMatchObject({
			status: 403,
		});
	}
	const { account, switches } = await state();
	expect([account.status, switches]).toEqual(['connected', []]);
});

test.each(['/control/constructor', '/control/__proto__', '/control/toString', '/control/nothing'])(
	'there is no control %s',
	async (path) => {
		expect(await post(path, {})).toEqual({ status: 404, body: { error: 'There is no such method.' } });
	},
);

test('what the controls cannot take is refused in words', async () => {
	expect(await turn('constructor', true)).toEqual({
		status: 400,
		body: { error: 'There is no switch constructor.' },
	});
	const huge = { from: ADA, body: 'x'.repeat(65 * 1024 * 1024) };
	expect(await post('/control/incomingMessage', huge)).toEqual({
		status: 413,
		body: { error: 'request entity too large' },
	});
	expect((await fetch(`${service.origin}/phone/constructor`)).status).toBe(404);
});

test('a switch leaves the others as they are', async () => {
	await turn('rateLimit', true);
	for (let count = 0; count < 3; count += 1) await call('GET', '/account');
	await turn('timeout', true);
	await turn('timeout', false);
	expect((await call('GET', '/account')).status).toBe(429);
	expect((await state()).switches).toEqual(['rateLimit']);
	await turn('rateLimit', false);
	expect((await call('GET', '/account')).status).toBe(200);
});

test('a reset turns all switches off', async () => {
	await turn('disconnected', true);
	await service.control.reset();
	expect(await state()).toMatchObject({ switches: [], account: { status: 'connected' } });
});

test('of much, the latest is shown, and of a long text the beginning', async () => {
	const chats = Array.from({ length: 150 }, (_, place) => ({ id: `${Number(ADA) + place}@c.us` }));
	await service.control.seed({ chats });
	const from = `${Number(ADA) + 149}`;
	await service.control.incomingMessage({ from, body: 'x'.repeat(1_000_000) });
	for (let count = 0; count < 120; count += 1) await call('GET', `/account?n=${count}`);

	const { chats: shown, chat, requests } = await state();
	expect(shown).toHaveLength(100);
	expect(shown[0]?.id).toBe(`${from}@c.us`);
	expect(chat?.messages[0]?.body).toMatch(/^x{10000}… \(1000000 characters\)$/);
	expect(requests).toHaveLength(100);
	expect(requests[0]?.path).toMatch(/\/account\?n=119$/);
	expect((await state(chats[0]?.id)).chat?.id).toBe(chats[0]?.id);
});

test('an event is delivered again as a whole, and signed', async () => {
	const receiver = await startReceiver();
	const events = ['message.received'];
	await service.control.setWebhook({
		config: { url: receiver.url, events, is_active: true, timeout_seconds: 30 },
	});
	const { eventId } = await service.control.incomingMessage({ from: ADA, body: 'x'.repeat(20_000) });
	await eventually(
		() => receiver.received.length,
		(count) => count === 1,
	);
	expect(await post('/phone/deliverAgain', { eventId })).toMatchObject({ status: 200 });
	expect(receiver.received.map(({ body, headers }) => [body.length, headers['x-service-event-id']])).toEqual(
		Array(2).fill([receiver.received[0]?.body.length, eventId]),
	);
	expect(receiver.received[1]?.headers['x-service-signature']).toBe(
		receiver.received[0]?.headers['x-service-signature'],
	);
	expect(await post('/phone/deliverAgain', { eventId: 'none' })).toMatchObject({ status: 400 });
	await receiver.stop();
});
