import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

import type { ApiRequest, Endpoint } from '../../../nodes/MessagingChannel/api/apiRequest';
import { createClient } from '../../../nodes/MessagingChannel/api/client';
import { createRateLimiter } from '../../../nodes/MessagingChannel/api/rateLimiter';
import { virtualClock } from '../../support/engine/clock';
import { answer, scripted } from './scripted';

const read: Endpoint = { method: 'GET', path: '/account', permission: 'valid key' };
const request: ApiRequest = { endpoint: read, limits: { maxAttempts: 1, maxRateLimitWait: 0 } };

describe('an answer', () => {
	test('of JSON is returned as it is, also when it comes as text', async () => {
		const body = { success: true, data: { id: '1' } };
		expect(await scripted(answer(200, body)).client.call(request)).toEqual(body);
		expect(await scripted(answer(202, JSON.stringify(body))).client.call(request)).toEqual(body);
	});

	test.each([
		['a page of HTML', '<!DOCTYPE html><html></html>'],
		['JSON that stops in the middle', '{"success":true,"da'],
		['nothing', ''],
		['a list', [1, 2]],
		['a number', 42],
		['null', null],
		['the text null', 'null'],
	])('of %s is not what the service gives', async (_, body) => {
		await expect(scripted(answer(200, body)).client.call(request)).rejects.toMatchObject({
			code: 'unexpected_answer',
			httpStatus: 200,
		});
	});

	test.each([
		['an empty record', {}],
		['success that is no truth', { success: 'false', data: { id: '1' } }],
		[
			'records in records without end',
			{ success: true, data: JSON.parse('['.repeat(300) + ']'.repeat(300)) as unknown },
		],
	])('of %s is not what the service gives', async (_, body) => {
		await expect(scripted(answer(200, body)).client.call(request)).rejects.toMatchObject({
			code: 'unexpected_answer',
		});
	});

	test('without `success` is enough for a read, and leaves a send ambiguous', async () => {
		const body = { status: 'maintenance' };
		const send: Endpoint = {
			method: 'POST',
			path: '/messages/send',
			permission: 'messages:send',
			sends: 'text',
		};
		expect(await scripted(answer(200, body)).client.call(request)).toEqual(body);
		await expect(
			scripted(answer(200, body)).client.call({ ...request, endpoint: send }),
		).rejects.toMatchObject({
			code: 'unexpected_answer',
			ambiguous: true,
		});
	});

	test('with an error is an error, whatever its status', async () => {
		const body = { error: 'content_blocked', message: 'No.' };
		await expect(scripted(answer(200, body)).client.call(request)).rejects.toMatchObject({
			code: 'content_blocked',
			httpStatus: 200,
		});
	});

	test.each([[301], [302], [307], [308]])('%d is not followed', async (status) => {
		const { client, sent } = scripted(answer(status, '', { location: 'https://elsewhere.example.com' }));
		await expect(client.call(request)).rejects.toMatchObject({
			code: 'unexpected_answer',
			httpStatus: status,
		});
		expect(sent).toHaveLength(1);
		expect(sent[0]).toMatchObject({ disableFollowRedirect: true, ignoreHttpStatusErrors: true });
	});

	test.each([[199], [300], [304]])(
		'%d is not one of the service, even if it says success',
		async (status) => {
			await expect(scripted(answer(status, { success: true })).client.call(request)).rejects.toMatchObject({
				code: 'unexpected_answer',
				httpStatus: status,
			});
		},
	);

	test('of 400 is an error, whatever its body says', async () => {
		const { client } = scripted(answer(400, { success: true }));
		await expect(client.call(request)).rejects.toMatchObject({ code: 'validation_error', httpStatus: 400 });
	});

	test.each([
		[{ success: true, error: 'a note' }],
		[{ error: '' }],
		[{ success: true, data: null }],
		[{ success: true, data: { quoted: null } }],
	])('of %j is a success', async (body) => {
		expect(await scripted(answer(200, body)).client.call(request)).toEqual(body);
	});

	test.each([['deleted'], [{ deleted: 1, success: 'yes' }]])(
		'to a delete may not be anything (%j)',
		async (body) => {
			const { client } = scripted(answer(200, body));
			const endpoint: Endpoint = { ...read, method: 'DELETE' };
			await expect(client.call({ ...request, endpoint })).rejects.toMatchObject({
				code: 'unexpected_answer',
			});
		},
	);

	test.each([[''], [' \r\n'], [undefined], [null], [{}]])('to a delete may be empty (%j)', async (body) => {
		const { client } = scripted(answer(204, body));
		expect(await client.call({ ...request, endpoint: { ...read, method: 'DELETE' } })).toEqual({});
	});

	test('with success false is an error, whatever its status', async () => {
		const body = { success: false, error: 'content_blocked', message: 'No.' };
		await expect(scripted(answer(200, body)).client.call(request)).rejects.toMatchObject({
			code: 'content_blocked',
			httpStatus: 200,
		});
	});

	test.each([
		[{ error: 'contact_not_found' }, 'contact_not_found'],
		['{"error":"contact_not_found"}', 'contact_not_found'],
		['<html>Not Found</html>', 'not_found'],
		[undefined, 'not_found'],
	])('404 with %j has the code %s', async (body, code) => {
		await expect(scripted(answer(404, body)).client.call(request)).rejects.toMatchObject({
			code,
			httpStatus: 404,
		});
	});
});

test('a request has a method, a URL, and a query or a body, and no key', async () => {
	const { client, sent } = scripted(answer(200, { success: true }), answer(200, { success: true }));
	await client.call({ ...request, parameters: { page: 2 } });
	const endpoint: Endpoint = { method: 'POST', path: '/tags', permission: 'chats:write' };
	await client.call({ endpoint, parameters: { name: 'VIP' } });

	expect(sent[0]).toMatchObject({
		method: 'GET',
		url: 'https://service.example.com/api/account',
		qs: { page: 2 },
	});
	expect(sent[0]).not.toHaveProperty('body');
	expect(sent[0]).not.toHaveProperty('abortSignal');
	expect(sent[1]).toMatchObject({
		method: 'POST',
		url: 'https://service.example.com/api/tags',
		qs: {},
		body: { name: 'VIP' },
	});
	expect(JSON.stringify(sent)).not.toMatch(/authorization/i);
});

describe('a download', () => {
	const streamOf = (content: string) => Readable.from([Buffer.from(content)]);
	const keep = async () => await Promise.reject(new Error('There is nothing to keep.'));

	test('streams the file to its consumer', async () => {
		const { client, sent } = scripted(answer(200, streamOf('bytes')));
		expect(await client.download(request, async ({ stream }) => await text(stream))).toBe('bytes');
		expect(sent[0]).toMatchObject({ encoding: 'stream' });
	});

	test('that is refused says why, though the error comes as a stream', async () => {
		const { client } = scripted(answer(404, streamOf('{"error":"no_media","message":"None."}')));
		await expect(client.download(request, keep)).rejects.toMatchObject({ code: 'no_media', httpStatus: 404 });
	});

	test('that is refused with a page has the code of its status', async () => {
		const { client } = scripted(answer(404, streamOf('<html>')));
		await expect(client.download(request, keep)).rejects.toMatchObject({ code: 'not_found' });
	});

	test('that is refused in a truncated answer is still refused', async () => {
		const broken = Readable.from(
			(function* () {
				yield Buffer.from('{"error":"no_me');
				throw new Error('aborted');
			})(),
		);
		const { client } = scripted(answer(404, broken));
		await expect(client.download(request, keep)).rejects.toMatchObject({
			code: 'not_found',
			httpStatus: 404,
		});
	});

	test('that is refused in chunks says why', async () => {
		const pieces = [Buffer.from('{"error":'.padEnd(64 * 1024)), Buffer.from('"no_media"}')];
		const { client } = scripted(answer(404, Readable.from(pieces)));
		await expect(client.download(request, keep)).rejects.toMatchObject({ code: 'no_media' });
	});

	test('that is refused with a long body reads only a part of it', async () => {
		let pieces = 0;
		const endless = Readable.from(
			(function* () {
				for (; pieces < 1000; pieces++) yield Buffer.alloc(16 * 1024, 'x');
			})(),
		);
		const { client } = scripted(answer(400, endless));
		await expect(client.download(request, keep)).rejects.toMatchObject({ code: 'validation_error' });
		expect(pieces).toBeLessThan(50);
	});

	test('that redirects is not followed', async () => {
		const { client } = scripted(answer(302, streamOf('{"error":"moved"}')));
		await expect(client.download(request, keep)).rejects.toMatchObject({ code: 'unexpected_answer' });
	});
});

test('an upload opens its file again for each try', async () => {
	let opened = 0;
	const bytes = Buffer.from('PNG!');
	const file = {
		filename: 'cat.png',
		mimetype: 'image/png',
		source: 'UE5HIQ==',
		size: async () => await Promise.resolve(bytes.length),
		open: async () => {
			opened++;
			return await Promise.resolve(bytes);
		},
	};
	const { client, sent } = scripted(answer(429, {}), answer(202, { success: true }));
	const endpoint: Endpoint = {
		method: 'POST',
		path: '/messages/send-image',
		permission: 'messages:send',
		sends: 'other',
	};

	await client.call({ endpoint, parameters: { to: '905551234567' }, file });

	expect(opened).toBe(2);
	expect(sent).toHaveLength(2);
	expect(sent[1]?.headers).toMatchObject({
		'content-type': expect.stringMatching(/^multipart\/form-data/) as string,
	});
});

test('a file that the service does not read to its end is closed', async () => {
	const stream = Readable.from([Buffer.from('PNG!')], { objectMode: false });
	const file = {
		filename: 'cat.png',
		mimetype: 'image/png',
		source: 'filesystem:cat',
		size: async () => await Promise.resolve(4),
		open: async () => await Promise.resolve(stream),
	};
	const endpoint: Endpoint = { method: 'POST', path: '/messages/send-image', permission: 'messages:send' };

	await expect(scripted(answer(413, '')).client.call({ endpoint, file })).rejects.toThrow('too large');

	expect(stream.destroyed).toBe(true);
});

test('a file that cannot be opened is not an ambiguous send, and the next request is sent', async () => {
	const { client, sent } = scripted(answer(200, { success: true }));
	const gone = new Error('ENOENT: no such file');
	const file = {
		filename: 'cat.png',
		mimetype: 'image/png',
		source: 'UE5HIQ==',
		size: async () => await Promise.resolve(4),
		open: async () => await Promise.reject(gone),
	};
	const endpoint: Endpoint = {
		method: 'POST',
		path: '/messages/send-image',
		permission: 'messages:send',
		sends: 'other',
	};

	await expect(client.call({ endpoint, file })).rejects.toBe(gone);
	expect(sent).toEqual([]);
	expect(await client.call(request)).toEqual({ success: true });
});

test('a cancelled execution sends nothing', async () => {
	const execution = new AbortController();
	execution.abort();
	let sent = 0;
	const clock = virtualClock();
	const client = createClient('https://service.example.com/api', {
		clock,
		secret: 'secret-key',
		limiter: createRateLimiter(clock),
		cancelled: execution.signal,
		transport: async () => {
			sent++;
			return await Promise.resolve(answer(200, {}));
		},
	});

	await expect(client.call(request)).rejects.toThrow();
	expect(sent).toBe(0);
});

describe('a record that a second attempt to delete does not find', () => {
	const remove: ApiRequest = {
		endpoint: { method: 'DELETE', path: '/contacts/{phone}', permission: 'chats:read' },
		parameters: { phone: '905551234567' },
		limits: { maxAttempts: 3, maxRateLimitWait: 10 },
	};
	const notFound = answer(404, { success: false, error: 'contact_not_found' });
	const failed = (code: string) => Object.assign(new Error(code), { code });

	test.each([
		['no response came', failed('ECONNRESET')],
		['a proxy gave up', answer(504, 'Gateway Timeout')],
	])('was deleted by the first one, if %s', async (_, first) => {
		expect(await scripted(first, notFound).client.call(remove)).toEqual({});
	});

	test('was deleted by an earlier try, if that one was not confirmed', async () => {
		expect(await scripted(notFound).client.call({ ...remove, mayBeDone: true })).toEqual({});
		await expect(scripted(notFound).client.call({ ...remove, mayBeDone: false })).rejects.toMatchObject({
			httpStatus: 404,
		});
	});

	test.each([
		['did not arrive', [failed('ECONNREFUSED'), notFound]],
		['was refused', [answer(429, { success: false, error: 'rate_limit_exceeded' }), notFound]],
		['was the only one', [notFound]],
		['was answered by a proxy, as was the second', [answer(504, 'x'), answer(404, 'Not found')]],
	])('is an error if the first one %s', async (_, answers) => {
		await expect(scripted(...answers).client.call(remove)).rejects.toMatchObject({ httpStatus: 404 });
	});

	test('is an error if it was to be changed', async () => {
		const change: ApiRequest = { ...remove, endpoint: { ...remove.endpoint, method: 'PUT' } };
		await expect(scripted(failed('ECONNRESET'), notFound).client.call(change)).rejects.toMatchObject({
			httpStatus: 404,
		});
	});
});

describe('a refusal after an attempt that was not confirmed', () => {
	const lost = Object.assign(new Error('ECONNRESET'), { code: 'ECONNRESET' });
	const refused = answer(400, { success: false, error: 'validation_error' });
	const maybeDone =
		/ An earlier attempt was not confirmed and may have succeeded\. Check the status before you run again\.$/;

	test.each<Array<Partial<Endpoint>>>([
		[{ method: 'DELETE' }],
		[{ method: 'POST', idempotent: true, ends: true }],
	])('says that the earlier one may have succeeded, for %j', async (kind) => {
		const ending = { endpoint: { ...read, ...kind } };
		await expect(scripted(lost, refused).client.call(ending)).rejects.toMatchObject({
			description: expect.stringMatching(maybeDone),
			mayBeDone: true,
		});
		await expect(scripted(refused).client.call(ending)).rejects.toMatchObject({
			description: expect.not.stringMatching(maybeDone),
			mayBeDone: false,
		});
	});

	test.each<Array<Partial<Endpoint>>>([[{ method: 'PUT' }], [{ method: 'POST', idempotent: true }]])(
		'says nothing of it for %j, which would succeed again',
		async (kind) => {
			const again = { endpoint: { ...read, ...kind } };
			await expect(scripted(lost, refused).client.call(again)).rejects.toMatchObject({
				description: expect.not.stringMatching(maybeDone),
				mayBeDone: false,
			});
		},
	);
});
