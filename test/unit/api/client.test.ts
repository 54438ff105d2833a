import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

import type { ApiRequest, Endpoint } from '../../../nodes/MessagingChannel/api/apiRequest';
import { GET_WEBHOOK, SEND_TEST_EVENT, SET_WEBHOOK } from '../../../nodes/MessagingChannel/api/endpoints';
import type { ApiError } from '../../../nodes/MessagingChannel/api/errors';
import { answer, scripted, scriptedUntil } from './scripted';

const read: Endpoint = { method: 'GET', path: '/account', permission: 'valid key' };
const request: ApiRequest = { endpoint: read, limits: { maxAttempts: 1, maxRateLimitWait: 0 } };

const remove: Endpoint = { ...read, method: 'DELETE' };
const update: Endpoint = { ...read, method: 'PUT' };
const create: Endpoint = { ...read, method: 'POST' };
const send: Endpoint = { method: 'POST', path: '/messages/send', permission: 'messages:send', sends: 'text' };
const record = { success: true, data: { id: '1' } };
const refusal = { error: 'content_blocked', message: 'No.' };
const unexpected = (httpStatus: number) => ({ code: 'unexpected_answer', httpStatus });
const nested = JSON.parse('['.repeat(300) + ']'.repeat(300)) as unknown;

test.each<[string, Endpoint, number, unknown, object]>([
	['JSON', read, 200, record, record],
	['JSON that comes as text', read, 202, JSON.stringify(record), record],
	...[1, '1', 'True'].map((success): [string, Endpoint, number, unknown, object] => [
		`success: ${JSON.stringify(success)}`,
		send,
		202,
		{ success, queued: 1 },
		{ success, queued: 1 },
	]),
	['no success, which is enough for a read', read, 200, { status: 'maintenance' }, { status: 'maintenance' }],
	...[
		{ success: true, error: 'a note' },
		{ success: true, error: 'not_found' },
		{ error: '' },
		{ success: true, data: null },
		{ success: true, data: { quoted: null } },
	].map((body): [string, Endpoint, number, unknown, object] => ['a success', read, 200, body, body]),
	...['', ' \r\n', undefined, null, {}].map((body): [string, Endpoint, number, unknown, object] => [
		`${JSON.stringify(body)}, which is enough for a delete`,
		remove,
		204,
		body,
		{},
	]),
	['nothing, which is enough for an update', update, 204, '', {}],
	['nothing, which is enough for what sets the webhook', SET_WEBHOOK, 204, '', {}],
	['nothing, which is no webhook', GET_WEBHOOK, 204, '', {}],
	['nothing, which is enough for what sends the sample', SEND_TEST_EVENT, 200, {}, {}],
	['nothing, which is enough for a cancellation', { ...create, ends: true }, 200, '', {}],
])('an answer of %s is returned', async (_, endpoint, status, body, returned) => {
	expect(await scripted(answer(status, body)).client.call({ ...request, endpoint })).toEqual(returned);
});

test.each<[string, Endpoint, number, unknown, object]>([
	['a page of HTML', read, 200, '<!DOCTYPE html><html></html>', unexpected(200)],
	['JSON that stops in the middle', read, 200, '{"success":true,"da', unexpected(200)],
	['nothing', read, 200, '', unexpected(200)],
	['nothing for what has a record', create, 204, '', unexpected(204)],
	['an error that is an object', remove, 200, { error: { code: 'not_found' } }, unexpected(200)],
	['error: true', update, 200, { error: true, message: 'No.' }, unexpected(200)],
	['a list', read, 200, [1, 2], unexpected(200)],
	['a number', read, 200, 42, unexpected(200)],
	['null', read, 200, null, unexpected(200)],
	['the text null', read, 200, 'null', unexpected(200)],
	['an empty record', read, 200, {}, unexpected(200)],
	['success that is no truth', read, 200, { success: 'false', data: { id: '1' } }, unexpected(200)],
	['records without end', read, 200, { success: true, data: nested }, { code: 'unexpected_answer' }],
	['no success', send, 200, { status: 'maintenance' }, { ...unexpected(200), ambiguous: true }],
	['a text', remove, 200, 'deleted', unexpected(200)],
	['success in words', remove, 200, { deleted: 1, success: 'yes' }, unexpected(200)],
	['an error', read, 200, refusal, { code: 'content_blocked', httpStatus: 400 }],
	[
		'an error as text',
		read,
		200,
		'{"success":0,"error":"internal_error"}',
		{ code: 'internal_error', httpStatus: 500 },
	],
	['an unknown error', read, 200, { error: 'brand_new' }, { code: 'brand_new', httpStatus: 200 }],
	['success: false', read, 200, { success: false, ...refusal }, { code: 'content_blocked', httpStatus: 400 }],
	['success: 0', send, 200, { success: 0, ...refusal }, { code: 'content_blocked', ambiguous: false }],
	['success: null', send, 202, { success: null }, { ...unexpected(202), ambiguous: true }],
	...[199, 300, 304].map((status): [string, Endpoint, number, unknown, object] => [
		`success with ${status}, which the service does not give`,
		read,
		status,
		{ success: true },
		unexpected(status),
	]),
	['success with 400', read, 400, { success: true }, { code: 'validation_error', httpStatus: 400 }],
	['a code', read, 404, { error: 'contact_not_found' }, { code: 'contact_not_found', httpStatus: 404 }],
	[
		'a code as text',
		read,
		404,
		'{"error":"contact_not_found"}',
		{ code: 'contact_not_found', httpStatus: 404 },
	],
	['a page with 404', read, 404, '<html>Not Found</html>', { code: 'not_found', httpStatus: 404 }],
	['nothing with 404', read, 404, undefined, { code: 'not_found', httpStatus: 404 }],
])('an answer of %s is an error', async (_, endpoint, status, body, error) => {
	await expect(scripted(answer(status, body)).client.call({ ...request, endpoint })).rejects.toMatchObject(
		error,
	);
});

test.each([301, 302, 307, 308])('%d is not followed', async (status) => {
	const { client, sent } = scripted(answer(status, '', { location: 'https://elsewhere.example.com' }));
	await expect(client.call(request)).rejects.toMatchObject(unexpected(status));
	expect(sent).toEqual([
		expect.objectContaining({ disableFollowRedirect: true, ignoreHttpStatusErrors: true }),
	]);
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

	const brokenOff = function* () {
		yield Buffer.from('{"error":"no_me');
		throw new Error('aborted');
	};
	const inChunks = [Buffer.from('{"error":'.padEnd(64 * 1024)), Buffer.from('"no_media"}')];

	test.each<[string, Readable, string]>([
		['in chunks says why', Readable.from(inChunks), 'no_media'],
		['with a page has the code of its status', streamOf('<html>'), 'not_found'],
		['in a truncated answer is still refused', Readable.from(brokenOff()), 'not_found'],
	])('that is refused %s', async (_, body, code) => {
		const { client } = scripted(answer(404, body));
		await expect(client.download(request, keep)).rejects.toMatchObject({ code, httpStatus: 404 });
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
		await expect(client.download(request, keep)).rejects.toMatchObject({
			code: 'unexpected_answer',
			message: 'The service redirects to another address for this file',
			description: expect.stringContaining("'Include Download Links' of Chat > Get Messages") as string,
		});
	});
});

/** A picture that is uploaded, and opened so. */
const uploaded = (open: () => Promise<Buffer | Readable>): ApiRequest => ({
	endpoint: { method: 'POST', path: '/messages/send-image', permission: 'messages:send', sends: 'other' },
	parameters: { to: '905551234567' },
	file: {
		filename: 'cat.png',
		mimetype: 'image/png',
		source: 'UE5HIQ==',
		size: async () => await Promise.resolve(4),
		open,
	},
});

test('an upload opens its file again for each try', async () => {
	const open = jest.fn(async () => await Promise.resolve(Buffer.from('PNG!')));
	const { client, sent } = scripted(answer(429, {}), answer(202, { success: true }));

	await client.call(uploaded(open));

	expect(open).toHaveBeenCalledTimes(2);
	expect(sent).toHaveLength(2);
	expect(sent[1]?.headers).toMatchObject({
		'content-type': expect.stringMatching(/^multipart\/form-data/) as string,
	});
});

test('a file in Base64 takes as long as any other', async () => {
	const { client, sent } = scripted(answer(202, { success: true }), answer(202, { success: true }));
	const parameters = { to: '905551234567', mediaData: 'UE5HIQ==', mimetype: 'image/png' };

	await client.call(uploaded(async () => await Promise.resolve(Buffer.from('PNG!'))));
	await client.call({ endpoint: send, parameters });

	expect(sent[0]?.timeout).toBeGreaterThan(300_000);
	expect(sent[1]?.timeout).toBe(sent[0]?.timeout);
});

test('a file that the service does not read to its end is closed', async () => {
	const stream = Readable.from([Buffer.from('PNG!')], { objectMode: false });
	const upload = uploaded(async () => await Promise.resolve(stream));

	await expect(scripted(answer(413, '')).client.call(upload)).rejects.toThrow('too large');

	expect(stream.destroyed).toBe(true);
});

test('a file that cannot be opened is not an ambiguous send, and the next request is sent', async () => {
	const { client, sent } = scripted(answer(200, { success: true }));
	const gone = new Error('ENOENT: no such file');

	await expect(client.call(uploaded(async () => await Promise.reject(gone)))).rejects.toBe(gone);
	expect(sent).toEqual([]);
	expect(await client.call(request)).toEqual({ success: true });
});

test('a cancelled execution sends nothing', async () => {
	const { client, sent } = scriptedUntil(AbortSignal.abort(), answer(200, {}));

	await expect(client.call(request)).rejects.toThrow();
	expect(sent).toEqual([]);
});

const failed = (code: string) => Object.assign(new Error(code), { code });
const MAYBE_DONE =
	' An earlier attempt was not confirmed and may have succeeded. Check the status before you run again.';

describe('a record that a second attempt to delete does not find', () => {
	const removal: ApiRequest = {
		endpoint: { method: 'DELETE', path: '/contacts/{phone}', permission: 'chats:read' },
		parameters: { phone: '905551234567' },
		limits: { maxAttempts: 3, maxRateLimitWait: 10 },
	};
	const notFound = answer(404, { success: false, error: 'contact_not_found' });
	const refused = answer(429, { success: false, error: 'rate_limit_exceeded' });
	const change = { endpoint: { ...removal.endpoint, method: 'PUT' as const } };

	test.each<[string, Parameters<typeof scripted>, Partial<ApiRequest>, boolean]>([
		['no response came to the first', [failed('ECONNRESET'), notFound], {}, true],
		['a proxy gave up on the first', [answer(504, 'Gateway Timeout'), notFound], {}, true],
		['an earlier try was not confirmed', [notFound], { mayBeDone: true }, true],
		['the first did not arrive', [failed('ECONNREFUSED'), notFound], {}, false],
		['the first was refused', [refused, notFound], {}, false],
		['it was the only one', [notFound], {}, false],
		['a proxy answered both', [answer(504, 'x'), answer(404, 'Not found')], {}, false],
		['it was to be changed', [failed('ECONNRESET'), notFound], change, false],
	])('counts as deleted, if %s: %s', async (...[, answers, more, isDeleted]) => {
		const called = expect(scripted(...answers).client.call({ ...removal, ...more }));
		await (isDeleted ? called.resolves.toEqual({}) : called.rejects.toMatchObject({ httpStatus: 404 }));
	});
});

test.each<[Partial<Endpoint>, Parameters<typeof scripted>, boolean]>([
	[{ method: 'DELETE' }, [failed('ECONNRESET')], true],
	[{ method: 'POST', idempotent: true, ends: true }, [failed('ECONNRESET')], true],
	[{ method: 'DELETE' }, [], false],
	// It would succeed again.
	[{ method: 'PUT' }, [failed('ECONNRESET')], false],
	[{ method: 'POST', idempotent: true }, [failed('ECONNRESET')], false],
])('a refusal of %j after %j says that the earlier attempt may have succeeded: %s', async (...given) => {
	const [kind, before, mayBeDone] = given;
	const { client } = scripted(...before, answer(400, { success: false, error: 'validation_error' }));
	const error: unknown = await client
		.call({ endpoint: { ...read, ...kind } })
		.catch((thrown: unknown) => thrown);
	expect(error).toMatchObject({ httpStatus: 400, mayBeDone });
	expect((error as ApiError).description.endsWith(MAYBE_DONE)).toBe(mayBeDone);
});
