import { callerOf, useService } from '../support/service/testing';

const service = useService();
const call = callerOf(() => service);
const to = '905551112233';

beforeEach(async () => {
	await service.control.setSendDelay({ minMs: 0, maxMs: 0 });
});

describe('requests the description does not allow', () => {
	test.each([
		['an unknown body field', 'POST', '/messages/send', { to, message: 'a', extra: 1 }, 'extra'],
		['an unknown query parameter', 'GET', '/contacts?colour=red', undefined, 'colour'],
		['a query parameter given twice', 'GET', '/contacts?page=1&page=2', undefined, 'page'],
		['a missing field', 'POST', '/messages/send', { to }, 'message'],
		['a wrong type', 'POST', '/messages/send', { to, message: 'a', sync: 'yes' }, 'sync'],
		['a value outside the enum', 'POST', '/messages/send', { to, message: 'a', type: 'image' }, 'type'],
		['a priority below 1', 'POST', '/messages/send', { to, message: 'a', priority: 0 }, 'priority'],
		['a recipient that is neither', 'POST', '/messages/send', { to: 'bob', message: 'a' }, 'to'],
		['a text that is too long', 'POST', '/messages/send', { to, message: 'a'.repeat(4097) }, 'message'],
		['more than 200 messages', 'GET', '/chats/1@g.us/messages?limit=201', undefined, 'limit'],
		['a cursor that is no date', 'GET', '/chats/1@g.us/messages?before=now', undefined, 'before'],
		['a list limit above the maximum', 'GET', '/contacts?limit=101', undefined, 'limit'],
		['a body where none belongs', 'POST', '/webhooks/test', { a: 1 }, 'body'],
		['a colour that is none', 'POST', '/tags', { name: 'a', color: 'red' }, 'color'],
		[
			'a flag that the endpoint does not take',
			'POST',
			'/messages/send-image',
			imageWithFlag(),
			'as_document',
		],
	])('%s: 400 naming it', async (_name, method, path, body, field) => {
		const answer = await call(method, path, body);
		expect(answer).toMatchObject({ status: 400, body: { success: false, error: 'validation_error' } });
		expect(answer.body.message).toContain(field);
	});

	test('invalid JSON and no body at all', async () => {
		const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' };
		for (const body of ['{"to":', undefined]) {
			const response = await fetch(`${service.baseUrl}/messages/send`, { method: 'POST', headers, body });
			expect(response.status).toBe(400);
			expect(await response.json()).toMatchObject({ error: 'validation_error' });
		}
	});

	test('a body above 16 MB: 413', async () => {
		const answer = await call('POST', '/messages/send', { to, message: 'a'.repeat(17 * 1024 * 1024) });
		expect(answer).toMatchObject({ status: 413, body: { error: 'validation_error' } });
	});

	test('a path that no operation has: 404', async () => {
		expect(await call('GET', '/nothing')).toMatchObject({ status: 404, body: { error: 'not_found' } });
		expect(await call('PATCH', '/tags', {})).toMatchObject({ status: 404, body: { error: 'not_found' } });
	});
});

function imageWithFlag() {
	return { to, media_url: 'https://files.example/a.png', as_document: true };
}

describe('codes of the error tables', () => {
	test('content_blocked', async () => {
		const answer = await call('POST', '/messages/send', { to, message: 'a ForbiddenWord' });
		expect(answer).toMatchObject({ status: 400, body: { error: 'content_blocked' } });
	});

	test('account_not_connected, on sends and on the contact check', async () => {
		await service.control.setAccount({ status: 'disconnected' });
		const refused = { status: 400, body: { error: 'account_not_connected' } };
		expect(await call('POST', '/messages/send', { to, message: 'a' })).toMatchObject(refused);
		expect(await call('GET', `/contacts/${to}/check`)).toMatchObject(refused);
		expect(await service.control.accepted()).toEqual([]);
	});

	test('too_many_phones', async () => {
		const phones = Array.from({ length: 101 }, (_item, index) => `90555${1000000 + index}`);
		const answer = await call('POST', '/contacts/sync', { phones });
		expect(answer).toMatchObject({ status: 400, body: { error: 'too_many_phones' } });
		expect(await call('POST', '/contacts/sync', { phones: phones.slice(1) })).toMatchObject({
			status: 200,
			body: { data: { total: 100, created: 100 } },
		});
	});

	test.each(['2026-02-30T10:00:00Z', 'tomorrow', ''])('invalid_date for %j', async (scheduled_at) => {
		const answer = await call('POST', '/messages/schedule', { to, message: 'a', scheduled_at });
		expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_date' } });
	});

	test('invalid_trigger_type', async () => {
		const rule = { name: 'a', trigger_type: 'moon', trigger_value: 'b', reply: 'c' };
		const answer = await call('POST', '/auto-replies', rule);
		expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_trigger_type' } });
	});

	test('contact_not_found', async () => {
		const answer = await call('GET', '/contacts/905550000001');
		expect(answer).toMatchObject({ status: 404, body: { error: 'contact_not_found' } });
	});

	test.each(['..%2F..%2Fetc%2Fpasswd', '.hidden', 'a%00b', 'a%5Cb'])(
		'invalid_filename for %s',
		async (filename) => {
			const answer = await call('GET', `/media/${filename}`);
			expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_filename' } });
		},
	);

	test('no_media', async () => {
		const { messageId } = await service.control.incomingMessage({ from: to, body: 'text' });
		for (const id of [messageId, 'nothing']) {
			const answer = await call('GET', `/messages/${encodeURIComponent(id)}/media`);
			expect(answer).toMatchObject({ status: 404, body: { error: 'no_media' } });
		}
	});

	test('send_timeout while the queue is held, and the message arrives later all the same', async () => {
		await service.control.configure({ syncTimeoutMs: 20 });
		await service.control.holdQueue();
		const answer = await call('POST', '/messages/send', { to, message: 'late', sync: true });
		expect(answer).toMatchObject({ status: 504, body: { error: 'send_timeout' } });
		await service.control.releaseQueue();
		await service.control.idle();
		expect(await service.control.messages({ chatId: to })).toMatchObject([{ body: 'late' }]);
	});
});

describe('who may call', () => {
	test('401 without a key, with an unknown key and with another scheme', async () => {
		const unauthorized = { status: 401, body: { success: false, error: 'invalid_api_key' } };
		expect(await call('GET', '/health', undefined, 'unknown')).toMatchObject(unauthorized);
		const others: Array<Record<string, string>> = [{}, { authorization: `Basic ${service.apiKey}` }];
		for (const headers of others) {
			const response = await fetch(`${service.baseUrl}/health`, { headers });
			expect(response.status).toBe(401);
			expect(response.headers.get('x-ratelimit-limit')).toBe('100000');
		}
	});

	test('403 on every operation whose permission the key lacks, and only there', async () => {
		const { apiKey } = await service.control.createKey({ permissions: ['chats:read'] });
		expect((await call('GET', '/chats', undefined, apiKey)).status).toBe(200);
		expect((await call('GET', '/health', undefined, apiKey)).status).toBe(200);
		expect((await call('POST', '/webhooks/rotate-secret', undefined, apiKey)).status).toBe(200);
		const forbidden = { status: 403, body: { error: 'forbidden' } };
		expect(await call('POST', '/tags', { name: 'a' }, apiKey)).toMatchObject(forbidden);
		expect(await call('GET', '/messages/queue', undefined, apiKey)).toMatchObject(forbidden);
		expect(await call('POST', '/messages/send', { to, message: 'a' }, apiKey)).toMatchObject(forbidden);
	});
});

describe('phone numbers', () => {
	test.each(['+90 555 111 22 33', '0555 111 2233', '905551112233', '905551112233@c.us'])(
		'%s is 905551112233@c.us',
		async (number) => {
			const answer = await call('POST', '/messages/send', { to: number, message: 'a' });
			expect(answer).toMatchObject({ status: 202, body: { queued: true, to: '905551112233@c.us' } });
		},
	);
});
