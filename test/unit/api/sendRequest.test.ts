import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

import type { Endpoint } from '../../../nodes/MessagingChannel/api/apiRequest';
import type { Download } from '../../../nodes/MessagingChannel/api/download';
import { answer, scripted, scriptedUntil } from './scripted';

const endpoint: Endpoint = { method: 'GET', path: '/account', permission: 'valid key' };
const ONCE = { maxAttempts: 1, maxRateLimitWait: 300 };

const success = answer(200, { success: true });
const broken = new Error('socket hang up');
const BEGUN = Date.UTC(2030, 0, 31, 9);
const USED_UP_FOR_A_MINUTE = {
	'x-ratelimit-limit': '10',
	'x-ratelimit-remaining': '0',
	'x-ratelimit-reset': String(BEGUN / 1000 + 60),
};

// Time passes only while somebody waits.
beforeEach(() => void jest.spyOn(Date, 'now').mockReturnValue(BEGUN));
afterEach(() => jest.restoreAllMocks());

/** The waits so far, in milliseconds. */
function waitsOf({ clock }: ReturnType<typeof scripted>) {
	const sleep = jest.spyOn(clock, 'sleep');
	return () => sleep.mock.calls.map(([ms]) => ms);
}

test('a request that got no answer is tried four times, with growing pauses', async () => {
	const service = scripted(broken, broken, broken, broken, success);
	const waits = waitsOf(service);
	await expect(service.client.call({ endpoint })).rejects.toMatchObject({ code: 'network_error' });
	expect(waits()).toEqual([1000, 2000, 4000]);
	expect(service.sent).toHaveLength(4);
});

test('a send that may have arrived is not tried again', async () => {
	const send: Endpoint = {
		method: 'POST',
		path: '/messages/send',
		permission: 'messages:send',
		sends: 'text',
	};
	const service = scripted(broken, success);
	await expect(service.client.call({ endpoint: send })).rejects.toMatchObject({ ambiguous: true });
	expect(service.sent).toHaveLength(1);
});

test.each([
	['an answer', success, 30],
	['an error', answer(404, {}), 10],
	['a redirect', answer(307, '', { location: 'https://proxy.example.com' }), 10],
	['a page', answer(200, '<html>Log in</html>'), 10],
])('after %s that tells no rate limit, few or many go at once', async (_name, first, most) => {
	const forever = Array.from({ length: 30 }, async () => await new Promise<never>(() => {}));
	const { client, sent } = scripted(first, ...forever);
	await client.call({ endpoint }).catch(() => undefined);
	for (let count = 0; count < 30; count++) void client.call({ endpoint });
	await new Promise(setImmediate);
	expect(sent).toHaveLength(1 + most);
});

test('a rate limit that a file tells is waited for, too', async () => {
	const body = Readable.from([Buffer.from('{"success":false,"error":"rate_limit_exceeded"}')]);
	const service = scripted(answer(200, body), answer(200, Readable.from([Buffer.from('bytes')])));
	const save = async ({ stream }: Download) => await text(stream);
	expect(await service.client.download({ endpoint }, save)).toBe('bytes');
	expect(service.clock.skippedMs).toBeGreaterThanOrEqual(1000);
});

test('a request that must not be made any more is not tried again after a wait', async () => {
	const service = scripted(answer(429, {}), answer(429, {}), success);
	const tooLate = new Error('too late');
	const beforeAttempt = (now: number) => {
		if (now > BEGUN + 1000) throw tooLate;
	};
	await expect(service.client.call({ endpoint, beforeAttempt })).rejects.toBe(tooLate);
	expect(service.sent).toHaveLength(2);
});

const busy = (seconds: number) => answer(503, {}, { 'retry-after': String(seconds) });
const usedUp = answer(429, {}, USED_UP_FOR_A_MINUTE);
const told = { success: false, error: 'rate_limit_exceeded' };

test.each<[string, Parameters<typeof scripted>, number[]]>([
	['a 429, once, until the window ends', [usedUp], [60_000]],
	[
		'429s without a reset, longer each time',
		[429, 429, 429].map((status) => answer(status, {})),
		[1000, 2000, 4000],
	],
	[
		'a rate limit that a successful response tells',
		[answer(200, told, USED_UP_FOR_A_MINUTE), answer(200, told)],
		[60_000, 2000],
	],
	['a 503 that asks for as long as the request may wait', [busy(300)], [300_000]],
	['two 503s that ask for as long together', [busy(100), busy(200)], [100_000, 200_000]],
	['a 503 that asks for as long together with a 429', [usedUp, busy(240)], [60_000, 240_000]],
])('a request waits after %s', async (_, answers, expected) => {
	const service = scripted(...answers, success);
	const waits = waitsOf(service);
	await service.client.call({ endpoint });
	expect(waits()).toEqual(expected);
});

describe('a pause that a 503 asks for', () => {
	test.each([
		['it alone', [busy(301)]],
		['all pauses together', [busy(100), busy(201)]],
		['it and the wait for the rate limit', [usedUp, busy(241)]],
	])('fails the request if %s would be longer', async (_, answers) => {
		const service = scripted(...answers, success);
		await expect(service.client.call({ endpoint })).rejects.toMatchObject({
			httpStatus: 503,
			description: expect.stringContaining(
				'The service asked to wait until 2030-01-31T09:05:01.000Z, which is longer than this request may wait.',
			),
		});
		expect(service.sent).toHaveLength(answers.length);
	});

	test('and is too long names the option that allows more', async () => {
		const limits = { maxAttempts: 2, maxRateLimitWait: 300, waitOption: 'Max Rate Limit Wait (Seconds)' };
		await expect(scripted(busy(301)).client.call({ endpoint, limits })).rejects.toMatchObject({
			description: expect.stringContaining(
				"which is longer than the option 'Max Rate Limit Wait (Seconds)' allows.",
			),
		});
	});
});

test('requests without an answer do not delay others', async () => {
	const service = scripted(...Array.from({ length: 30 }, () => broken));
	for (let count = 0; count < 30; count++) {
		await expect(service.client.call({ endpoint, limits: ONCE })).rejects.toThrow();
	}
	expect(service.clock.skippedMs).toBe(0);
});

test("a gateway's error does not tell that the service has no rate limit", async () => {
	const never = Array.from({ length: 30 }, async () => await new Promise<never>(() => {}));
	const service = scripted(answer(502, '<html>', { date: '' }), ...never);
	await expect(service.client.call({ endpoint, limits: ONCE })).rejects.toMatchObject({ httpStatus: 502 });
	for (let count = 0; count < 30; count++) void service.client.call({ endpoint });
	await new Promise(setImmediate);
	expect(service.sent).toHaveLength(1 + 10);
});

test('a file that was being opened when n8n ended the execution is closed, and not sent', async () => {
	const execution = new AbortController();
	const content = Readable.from([Buffer.from('hello')]);
	const open = async () => {
		execution.abort();
		return await Promise.resolve(content);
	};
	const file = {
		filename: 'a.jpg',
		mimetype: 'image/jpeg',
		source: '1',
		size: () => Promise.resolve(5),
		open,
	};
	const upload: Endpoint = { ...endpoint, method: 'POST', sends: 'other' };
	const service = scriptedUntil(execution.signal, success);

	await expect(service.client.call({ endpoint: upload, file })).rejects.toThrow(
		expect.objectContaining({ name: 'AbortError' }),
	);
	expect([service.sent, content.destroyed]).toEqual([[], true]);
});
