import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';

import { TEST_NUMBERS } from '../support/service/testNumbers';
import { callerOf, startReceiver, useService } from '../support/service/testing';

const service = useService();
const call = callerOf(() => service);

test('a delivery is signed over its raw bytes, and repeated with the same ID until it is taken', async () => {
	const receiver = await startReceiver();
	receiver.answers.push(500, 503);
	await call('POST', '/webhooks', { url: receiver.url });
	const { body } = await call('POST', '/webhooks/rotate-secret');
	await service.control.setRedelivery({ maxAttempts: 4, backoffMs: 5 });
	const { eventId } = await service.control.incomingMessage({ from: '905551112233', body: 'Hi 👋 é' });
	await service.control.idle();
	await receiver.stop();
	expect(receiver.received).toHaveLength(3);
	for (const { headers, body: bytes } of receiver.received)
		expect(headers).toMatchObject({
			'x-service-signature': createHmac('sha256', String(body.secret)).update(bytes).digest('hex'),
			'x-service-event': 'message.received',
			'x-service-event-id': eventId,
			'x-service-account-id': 'account-1',
			'x-service-timestamp': expect.stringMatching(/^\d{10}$/),
		});
});

test.each(Object.entries(TEST_NUMBERS))('%s gets its error, as docs/try-it.md says', async (to, fault) => {
	const answer = await call('POST', '/messages/send', { to: `+${to}`, message: 'Hello' });
	expect([answer.status, answer.body.error]).toEqual([fault.status, fault.error]);
	expect(await service.control.accepted()).toEqual([]);
	const page = readFileSync(join(__dirname, '..', '..', 'docs', 'try-it.md'), 'utf8');
	expect(page).toContain(`| \`+${to}\` | \`${fault.error}\``);
});

test.each([
	['another site', { origin: 'https://evil.example.com' }],
	['a sandbox', { origin: 'null' }],
	['a name that leads to this machine', { host: 'evil.example.com' }],
])('a page of %s cannot use the controls of a service that somebody tries', async (_, headers) => {
	for (const path of ['/control/setAccount', '/phone/switches']) {
		const status = await new Promise((resolve) => {
			request(service.origin + path, { method: 'POST', headers }, (response) =>
				resolve(response.resume().statusCode),
			).end('{"status":"banned","name":"slow","isOn":true}');
		});
		expect(status).toBe(403);
	}
});
