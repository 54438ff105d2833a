import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { IHttpRequestOptions } from 'n8n-workflow';

import type { ApiRequest, Endpoint } from '../../../nodes/MessagingChannel/api/apiRequest';
import type { Download } from '../../../nodes/MessagingChannel/api/download';
import { createClient } from '../../../nodes/MessagingChannel/api/client';
import { createRateLimiter } from '../../../nodes/MessagingChannel/api/rateLimiter';
import { virtualClock } from '../../support/engine/clock';
import { answer, scripted } from './scripted';

const byName: Endpoint = { method: 'GET', path: '/media/{filename}', permission: 'messages:read' };
const ofMessage: Endpoint = { ...byName, path: '/messages/{messageId}/media' };

const request: ApiRequest = {
	endpoint: byName,
	parameters: { filename: 'cat.png' },
	limits: { maxAttempts: 1, maxRateLimitWait: 0 },
};

const RATE = { 'x-ratelimit-limit': '100' };

/** What becomes of a file that is answered so. */
async function downloaded(
	content: string | Readable,
	headers: Partial<Record<string, string>> = {},
	parameters = request.parameters,
) {
	const stream = typeof content === 'string' ? Readable.from([Buffer.from(content)]) : content;
	const endpoint = parameters && 'filename' in parameters ? byName : ofMessage;
	const { client } = scripted(answer(200, stream, headers as Record<string, string>));
	return await client.download({ ...request, endpoint, parameters }, kept);
}

const kept = async ({ stream, ...file }: Download) => ({
	...file,
	content: (await buffer(stream)).toString(),
});

const nothing = { messageId: '7' };

test.each<[Record<string, string>, string | undefined, ApiRequest['parameters']?]>([
	[{ 'content-disposition': 'inline; filename="dog.png"' }, 'dog.png'],
	[{}, 'cat.png'],
	[{ 'content-disposition': 'inline' }, 'cat.png'],
	[{ 'content-disposition': 'inline; filename=".."' }, 'cat.png'],
	[{}, undefined, nothing],
])('a file with %j is called %s', async (headers, name, parameters = request.parameters) => {
	expect((await downloaded('x', headers, parameters)).filename).toBe(name);
});

test.each([
	['image/png', 'image/png'],
	['text/plain; charset=utf-8', 'text/plain'],
	['text/plain ; charset=utf-8', 'text/plain'],
	['', undefined],
	[undefined, undefined],
])('a file of type %j is of type %j', async (type, expected) => {
	expect((await downloaded('x', { 'content-type': type })).mimetype).toBe(expected);
});

const PAGE = '\ufeff\n<!doctype HTML><html><body>Sign in</body></html>';
const FRAGMENT = '<script>location = "/login"</script>';
const NAMED = { 'content-disposition': 'inline' };
const HTML = { 'content-type': 'text/html; charset=utf-8' };
const html = { filename: 'page.HTML' };
const OWN_HTML = { ...HTML, ...RATE };

describe('a page', () => {
	test.each([
		['that only its beginning tells', PAGE, {}, request.parameters],
		['that only its type tells', FRAGMENT, HTML, request.parameters],
		['that only its type tells, after a blank line', `\n ${FRAGMENT}`, HTML, request.parameters],
		['in the place of a picture, though from the service', PAGE, OWN_HTML, request.parameters],
		['that is not from the service, where a page was asked for', PAGE, HTML, html],
		['that is not from the service, where anything may come', PAGE, HTML, nothing],
	])('%s is no file', async (_, content, headers, parameters) => {
		await expect(downloaded(content, headers, parameters)).rejects.toMatchObject({
			code: 'unexpected_answer',
			httpStatus: 200,
		});
	});

	test.each([
		['from the service, that was asked for', PAGE, OWN_HTML, html],
		['from the service, where anything may come', PAGE, OWN_HTML, nothing],
		['from the service, where a name does not say what comes', PAGE, OWN_HTML, { filename: '3EB0' }],
		['from the service, with a short extension', PAGE, OWN_HTML, { filename: 'page.v2.htm' }],
		['that is named as a file', PAGE, { ...HTML, ...NAMED }, request.parameters],
		['that a text only quotes', `See ${PAGE}`, {}, request.parameters],
		['in a text that is only called a page', `See ${PAGE}`, HTML, request.parameters],
	])('%s is a file', async (_, content, headers, parameters) => {
		expect((await downloaded(content, headers, parameters)).content).toContain('Sign in');
	});
});

test('an empty file is a file', async () => {
	expect((await downloaded(Readable.from([]))).content).toBe('');
});

test('a connection that breaks before n8n reads the file is a network error', async () => {
	const stream = new Readable({ read: () => {} });
	const { client } = scripted(answer(200, stream, NAMED));
	const late = client.download(request, async (file) => {
		stream.destroy(new Error('ECONNRESET'));
		await new Promise(setImmediate);
		return await kept(file);
	});
	await expect(late).rejects.toMatchObject({ code: 'network_error' });
});

test('n8n gets a stream of bytes, which holds as many bytes as it says and not as many chunks', async () => {
	const { client } = scripted(answer(200, Readable.from([Buffer.from('x')]), NAMED));
	const isOfObjects = async ({ stream }: Download) => {
		await buffer(stream);
		return await Promise.resolve((stream as Readable).readableObjectMode);
	};
	expect(await client.download(request, isOfObjects)).toBe(false);
});

test('a file breaks off when n8n cancels the execution, and its connection ends with it', async () => {
	const clock = virtualClock();
	const execution = new AbortController();
	const signals: Array<IHttpRequestOptions['abortSignal']> = [];
	const client = createClient('https://service.example.com/api', {
		clock,
		secret: 'secret-key',
		limiter: createRateLimiter(clock),
		transport: async (options) => {
			// As n8n's helper does it, before the credential copies the options.
			options.abortSignal = signals.length === 0 ? execution.signal : undefined;
			signals.push({ ...options }.abortSignal);
			return await Promise.resolve(answer(200, Readable.from(['x']), NAMED));
		},
	});
	const isAborted = async () => await Promise.resolve(signals.at(-1)?.aborted);

	expect(
		await client.download(request, async () => {
			execution.abort();
			return await isAborted();
		}),
	).toBe(true);
	expect(await client.download(request, isAborted)).toBe(false);
	expect(await isAborted()).toBe(true);
});

describe('JSON', () => {
	const refusal = '{"success":false,"error":"no_media","message":"None."}';

	test.each([
		refusal,
		'{"error":"no_media"}',
		` ${refusal} `,
		`\ufeff${refusal}`,
		refusal.replace('false', '0'),
		refusal.replace('false', '"False"'),
	])('%s is a refusal', async (content) => {
		await expect(downloaded(content, RATE)).rejects.toMatchObject({ code: 'no_media', httpStatus: 404 });
	});

	test.each([
		['a refusal that is named as a file', refusal, NAMED],
		['something else', '{"success":true,"data":[]}', {}],
		['a text that is none', '{"success":false', {}],
		['more than the service would say', `{"success":false,"data":"${'x'.repeat(100_000)}"}`, {}],
		['a list', '[{"success":false}]', {}],
	])('%s is a file', async (_, content, headers) => {
		expect((await downloaded(content, headers)).content).toBe(content);
	});
});

describe('a file that comes in chunks', () => {
	const MINUTE = 60_000;
	const piece = Buffer.alloc(64 * 1024, 'x');
	const file = { ...NAMED, 'content-length': String(20 * piece.length) };

	/** A file of twenty pieces, before each of which somebody waits. */
	const inPieces = (wait: (piece: number) => Promise<unknown>) =>
		Readable.from(
			(async function* () {
				for (let count = 0; count < 20; count++) {
					await wait(count);
					yield piece;
				}
			})(),
			{ objectMode: false },
		);

	test('may take hours', async () => {
		const stream = inPieces(async () => await clock.sleep(59_000));
		const { client, clock } = scripted(answer(200, stream, file));

		expect((await client.download(request, kept)).content).toHaveLength(20 * piece.length);
		expect(clock.skippedMs).toBeGreaterThan(19 * 59_000);
	});

	test('may be consumed as slowly as n8n needs', async () => {
		const { client, clock } = scripted(
			answer(
				200,
				inPieces(async () => {}),
				file,
			),
		);

		const length = await client.download(request, async ({ stream }) => {
			let taken = 0;
			for await (const each of stream) {
				await clock.sleep(10 * MINUTE);
				taken += (each as Buffer).length;
			}
			return taken;
		});

		expect(length).toBe(20 * piece.length);
	});

	test.each([0, 1, 19])('fails when nothing comes for a minute in place of piece %d', async (silent) => {
		const stream = inPieces(
			async (count) => await new Promise<void>((resolve) => count !== silent && resolve()),
		);
		const { client, clock } = scripted(answer(200, stream, file));
		const began = clock.now();

		await expect(client.download(request, kept)).rejects.toMatchObject({
			message: 'The download stalled',
			description: expect.stringContaining('No data arrived for 60 seconds.'),
			code: 'network_error',
			httpStatus: null,
		});
		expect(clock.now() - began).toBeGreaterThanOrEqual(MINUTE);
		expect(stream.destroyed).toBe(true);
	});

	test.each([-120, 120])('fails after a minute when the clock is set by %d minutes', async (minutes) => {
		const stream = inPieces(async (count) => {
			if (count === 0) return;
			await clock.sleep(1000);
			clock.now = () => now() + minutes * MINUTE;
			await new Promise(() => {});
		});
		const { client, clock } = scripted(answer(200, stream, file));
		const { now } = clock;

		await expect(client.download(request, kept)).rejects.toThrow('The download stalled');
		expect(clock.skippedMs).toBeGreaterThanOrEqual(MINUTE);
		expect(clock.skippedMs).toBeLessThan(3 * MINUTE);
	});

	test('fails when it is shorter than announced, and says by how much', async () => {
		await expect(downloaded('cat', { ...NAMED, 'content-length': '12' })).rejects.toMatchObject({
			message: 'The file does not have the expected length',
			description: expect.stringContaining('The service announced 12 bytes, but 3 arrived.'),
			code: 'network_error',
		});
	});

	test.each([
		NAMED,
		...['many', '4 bytes', 'about 4'].map((length) => ({ ...NAMED, 'content-length': length })),
	])('may be of any length where none is told (%j)', async (headers) => {
		expect((await downloaded('cat', headers)).content).toBe('cat');
	});

	test('fails with n8n’s error when n8n cannot store it, and is not requested again', async () => {
		const full = new Error('ENOSPC: no space left');
		const { client, sent } = scripted(
			answer(
				200,
				inPieces(async () => {}),
				file,
			),
		);

		await expect(
			client.download({ ...request, limits: undefined }, async () => await Promise.reject(full)),
		).rejects.toBe(full);
		expect(sent).toHaveLength(1);
	});
});
