import type { Fault } from '../support/service/core/control';
import { eventually } from '../support/poll';
import { callerOf, useService } from '../support/service/testing';

const service = useService();
const call = callerOf(() => service);
const to = '905551112233';

const send = () =>
	fetch(`${service.baseUrl}/messages/send`, {
		method: 'POST',
		redirect: 'manual',
		headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
		body: JSON.stringify({ to, message: 'hello' }),
	});
const arm = (fault: Fault) => service.control.addFault({ operationId: 'message.send', ...fault });
const taken = async () => (await service.control.accepted()).length;
const lastRequest = async () => (await service.control.requests()).at(-1);

test('status: answers as told, with headers, and does not take the request', async () => {
	await arm({ kind: 'status', status: 503, headers: { 'Retry-After': '7' } });
	const response = await send();
	expect(response.status).toBe(503);
	expect(response.headers.get('retry-after')).toBe('7');
	expect(await response.json()).toMatchObject({ success: false, error: 'internal_error' });
	expect(await taken()).toBe(0);
	expect(await lastRequest()).toMatchObject({ status: 503, accepted: false, fault: 'status' });
	expect((await send()).status).toBe(202);
});

test('status, after: takes the request and then denies it', async () => {
	await arm({ kind: 'status', status: 504, when: 'after' });
	const response = await send();
	expect(response.status).toBe(504);
	expect(await response.json()).toMatchObject({ error: 'send_timeout' });
	expect(await taken()).toBe(1);
	expect(await lastRequest()).toMatchObject({ status: 504, accepted: true });
});

test.each([
	['before', 0],
	['after', 1],
] as const)('reset, %s: the socket is destroyed', async (when, count) => {
	await arm({ kind: 'reset', when });
	await expect(send()).rejects.toThrow('fetch failed');
	expect(await taken()).toBe(count);
	expect(await lastRequest()).toMatchObject({ status: null, accepted: count === 1 });
});

test.each([
	['before', 0],
	['after', 1],
] as const)('silence, %s: there is no answer until the caller goes', async (when, count) => {
	await arm({ kind: 'silence', when });
	const request = fetch(`${service.baseUrl}/messages/send`, {
		method: 'POST',
		headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
		body: JSON.stringify({ to, message: 'hello' }),
		signal: AbortSignal.timeout(200),
	});
	await expect(request).rejects.toThrow('timeout');
	await eventually(lastRequest, (record) => record?.finishedAt !== null);
	expect(await taken()).toBe(count);
	expect(await lastRequest()).toMatchObject({ status: null, accepted: count === 1, fault: 'silence' });
});

test('skip: so many requests pass first, whatever other faults do to them', async () => {
	await arm({ kind: 'status', status: 500 });
	await arm({ kind: 'status', status: 504, when: 'after', skip: 1 });
	await arm({ kind: 'status', status: 503, skip: 3 });
	const statuses = [];
	for (let count = 0; count < 5; count += 1) statuses.push((await send()).status);
	expect(statuses).toEqual([500, 504, 202, 503, 202]);
	expect(await taken()).toBe(3);
});

test('delay: the answer comes late', async () => {
	await arm({ kind: 'delay', ms: 80 });
	const start = Date.now();
	expect((await send()).status).toBe(202);
	expect(Date.now() - start).toBeGreaterThanOrEqual(75);
});

describe('hold: answers wait', () => {
	const sendThree = () => Promise.all([send(), send(), send()]);

	test('until there are as many as told, and later ones do not', async () => {
		await arm({ kind: 'hold', until: 3 });
		expect((await sendThree()).map(({ status }) => status)).toEqual([202, 202, 202]);
		const requests = await service.control.requests();
		expect(requests.map(({ inFlight, fault }) => [inFlight, fault])).toEqual([
			[1, 'hold'],
			[2, 'hold'],
			[3, 'hold'],
		]);
		expect((await send()).status).toBe(202);
	});

	test.each([
		['before', 0],
		['after', 3],
	] as const)('until the faults are cleared, %s they are taken', async (when, count) => {
		await arm({ kind: 'hold', when });
		const answers = sendThree();
		await eventually(service.control.requests, ({ length }) => length === 3);
		await eventually(taken, (number) => number === count);
		expect((await service.control.requests()).map(({ status }) => status)).toEqual([null, null, null]);
		await service.control.clearFaults();
		expect((await answers).map(({ status }) => status)).toEqual([202, 202, 202]);
	});
});

test('slow-body: the whole answer, bit by bit', async () => {
	await arm({ kind: 'slow-body', ms: 100 });
	const start = Date.now();
	const response = await send();
	expect(await response.json()).toMatchObject({ success: true, queued: true });
	expect(Date.now() - start).toBeGreaterThanOrEqual(90);
	expect(await taken()).toBe(1);
});

test('bad-json, empty and html: bodies that are no JSON', async () => {
	for (const kind of ['bad-json', 'empty', 'html'] as const) {
		await arm({ kind, when: 'after' });
		const response = await send();
		expect(response.status).toBe(202);
		await expect(response.json()).rejects.toThrow();
	}
	await arm({ kind: 'html' });
	const page = await send();
	expect([page.status, page.headers.get('content-type')]).toEqual([
		502,
		expect.stringContaining('text/html'),
	]);
	expect(page.headers.has('x-ratelimit-limit')).toBe(false);
});

describe('a real answer that goes wrong half-way', () => {
	const name = 'synthetic-300000.bin';
	const get = async (kind: 'cut' | 'stall' | 'half-gzip') => {
		await service.control.addFault({ kind, operationId: 'media.downloadFile' });
		return await fetch(`${service.baseUrl}/media/${name}`, {
			headers: { authorization: `Bearer ${service.apiKey}` },
		});
	};

	test('cut: the connection ends', async () => {
		const response = await get('cut');
		expect(response.headers.get('content-length')).toBe('300000');
		await expect(response.arrayBuffer()).rejects.toThrow('terminated');
		expect(await lastRequest()).toMatchObject({ status: null, accepted: true, fault: 'cut' });
	});

	test('stall: nothing more comes, until the caller goes', async () => {
		const response = await get('stall');
		const reader = response.body?.getReader();
		for (let length = 0; length < 150_000;) length += (await reader?.read())?.value?.length ?? Infinity;
		expect(await lastRequest()).toMatchObject({ finishedAt: null });
		await reader?.cancel();
		await eventually(lastRequest, (request) => request?.finishedAt !== null);
	});

	test('half-gzip: packed, and half of it passes for the whole', async () => {
		const response = await get('half-gzip');
		expect(response.headers.get('content-encoding')).toBe('gzip');
		// Not even this client notices.
		expect((await response.arrayBuffer()).byteLength).toBeLessThan(300_000);
	});
});

test('wrong-type: JSON that does not fit', async () => {
	await arm({ kind: 'wrong-type' });
	expect(await (await send()).json()).toMatchObject({ success: 'yes', data: 42 });
});

test('redirect: points elsewhere', async () => {
	await arm({ kind: 'redirect', location: 'http://127.0.0.1:1/' });
	const response = await send();
	expect([response.status, response.headers.get('location')]).toEqual([302, 'http://127.0.0.1:1/']);
});

describe('which requests are hit', () => {
	test('by path, method and body, as often as told', async () => {
		const fault = { kind: 'status', status: 500 } as const;
		await service.control.addFault({ ...fault, method: 'get', path: '/contacts/{phone}', times: 2 });
		expect((await call('GET', '/contacts')).status).toBe(200);
		const statuses = [];
		for (let turn = 0; turn < 3; turn += 1) statuses.push((await call('GET', `/contacts/${to}`)).status);
		expect(statuses).toEqual([500, 500, 404]);

		await service.control.addFault({ ...fault, bodyHas: { message: 'unlucky' }, times: 'always' });
		const answers = [];
		for (const message of ['lucky', 'unlucky']) {
			answers.push((await call('POST', '/messages/send', { to, message })).status);
		}
		expect(answers).toEqual([202, 500]);
		await service.control.clearFaults();
		expect((await call('POST', '/messages/send', { to, message: 'unlucky' })).status).toBe(202);
	});

	test('by chance, the same way each time', async () => {
		const run = async () => {
			await service.control.reset();
			await arm({ kind: 'status', status: 500, probability: 0.5, seed: 7 });
			const statuses = [];
			for (let turn = 0; turn < 20; turn += 1) statuses.push((await send()).status);
			return statuses;
		};
		const first = await run();
		expect(new Set(first)).toEqual(new Set([500, 202]));
		expect(await run()).toEqual(first);
	});

	test('a fault that cannot be is refused', async () => {
		await expect(arm({ kind: 'nonsense' } as unknown as Fault)).rejects.toThrow('nonsense');
		await expect(arm({ kind: 'reset', operationId: 'message.sned' })).rejects.toThrow('message.sned');
	});
});

test('a moved operation answers at its new path only', async () => {
	await service.control.moveOperation({ operationId: 'autoReply.get', path: '/rules/{id}' });
	const rule = { name: 'a', trigger_type: 'keyword', trigger_value: 'hi', reply: 'hello' };
	const { body } = await call('POST', '/auto-replies', rule);
	const { id } = body.data as { id: string };
	expect((await call('GET', `/auto-replies/${id}`)).status).toBe(404);
	expect((await call('GET', `/rules/${id}`)).status).toBe(200);
});

test('the log keeps each request as it came', async () => {
	await call('POST', '/messages/send', { to, message: 'hello' });
	const [request] = await service.control.requests({ operationId: 'message.send' });
	expect(request).toMatchObject({
		method: 'POST',
		path: '/api/v1/whatsapp/external/messages/send',
		body: { to, message: 'hello' },
		status: 202,
		accepted: true,
		inFlight: 1,
	});
	expect(request?.headers.authorization).toBe(`Bearer ${service.apiKey}`);
	await service.control.clearRequests();
	expect(await service.control.requests()).toEqual([]);
});
