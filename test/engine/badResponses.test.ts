// cspell:ignore Ünal
import fc from 'fast-check';
import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { flagOf } from '../../nodes/MessagingChannel/api/values';
import { virtualClock } from '../support/engine/clock';
import { run } from '../support/engine/run';
import { close, createHttpServer, listen } from '../support/localServer';
import { byId, byPhone } from '../support/operations/parameters';

/** Responds to a request; `elsewhere` is the address of another host. */
type Respond = (response: ServerResponse, elsewhere: string, query: URLSearchParams) => void;

/** How the server responds, never as the service would, and how many requests it got. */
let respondNow: Respond;
let received = 0;
const server = createHttpServer((request, response) => {
	const { searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
	// A response that comes before the whole request breaks the connection for the one who still writes.
	request.resume().once('end', () => {
		received++;
		respondNow(response, elsewhere, searchParams);
	});
});
let strays = 0;
const other = createHttpServer((_, response) => {
	strays++;
	response.end();
});
let baseUrl: string;
let elsewhere: string;

beforeAll(async () => {
	[baseUrl, elsewhere] = [await listen(server), `${await listen(other)}/elsewhere`];
});
afterEach(() => expect(strays).toBe(0));
afterAll(async () => {
	for (const each of [server, other]) await close(each);
});

const person = byPhone('905551234567');

/** An operation of each kind of call. */
const CALLS = {
	read: ['message:getQueue', {}],
	list: ['tag:getAll', { returnAll: true }],
	send: ['message:send', { to: person, message: 'Hello' }],
	create: ['tag:create', { name: 'VIP' }],
	delete: ['contact:delete', { phone: person }],
	download: ['media:downloadFile', { filename: '1-photo.jpg' }],
} as const satisfies Record<string, [string, INodeParameters]>;

type Call = keyof typeof CALLS;
const calls = Object.keys(CALLS) as Call[];

/** A call that is safe to make again is made four times where another try can help. */
const ATTEMPTS: Record<Call, number> = { read: 4, list: 4, send: 1, create: 1, delete: 4, download: 4 };

let keys = 0;

/** Makes a call of which every request gets this response. */
async function make(call: Call, respond: Respond, more: INodeParameters = {}) {
	// What the process knows of an account's rate window is kept by its key.
	const apiKey = `never-to-be-seen-${++keys}`;
	[respondNow, received] = [respond, 0];
	const [operation, parameters] = CALLS[call];
	const { output, error } = await run({ baseUrl, apiKey }, virtualClock(), {
		operation,
		items: [{}],
		parameters: { ...parameters, ...more },
		options: call === 'send' ? { afterAmbiguousSend: 'fail' } : {},
		node: { onError: 'continueErrorOutput' },
	});
	expect(error).toBeUndefined();
	expect(inspect(output, { depth: 6 })).not.toContain(apiKey);
	const [first] = output;
	if (first?.error)
		expect([first.json.error, first.json.description].filter((text) => !isForPeople(text))).toEqual([]);
	return { output, first, requests: received };
}

/** Whether words are those of ours: a sentence of readable length, and nothing of a machine in it. */
function isForPeople(text: unknown): boolean {
	return (
		typeof text === 'string' &&
		/^[A-Z'][^\n]{19,999}$/.test(text) &&
		!/undefined|\[object|\bNaN\b|in JSON|Unexpected (token|end)|SyntaxError|call stack|<html/i.test(text)
	);
}

interface Expected {
	code: string;
	httpStatus: number | null;
	/** Whether a send may have arrived. */
	maybe?: true;
	/** Whether calls are tried again where that is safe. */
	again?: true;
	/** The calls that take it for a success. */
	done?: Call[];
}

const unreadable = (httpStatus: number, ...done: Call[]): Expected => ({
	code: 'unexpected_answer',
	httpStatus,
	maybe: true,
	done,
});
const broken: Expected = { code: 'network_error', httpStatus: null, maybe: true, again: true };

const JSON_TYPE = { 'content-type': 'application/json' };
const HTML = '<!DOCTYPE html><html><body>Please sign in</body></html>';
const RIGHT = JSON.stringify({ success: true, data: [{ id: 'one', name: 'Ünal ✓' }] });

const whole =
	(status: number, body: string | Buffer = '', headers: Record<string, string> = JSON_TYPE): Respond =>
	(response) => {
		response.writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(body)) });
		response.end(body);
	};
const brokenOff =
	(body: string, status = 200): Respond =>
	(response) => {
		response.writeHead(status, { ...JSON_TYPE, 'content-length': '9999' });
		response.write(body, () => setImmediate(() => response.destroy()));
	};
const json = (value: unknown) => whole(200, JSON.stringify(value));
const movedTo =
	(status: number): Respond =>
	(response, elsewhere) =>
		response.writeHead(status, { location: elsewhere }).end();

test.each<[string, Respond, Expected]>([
	[
		'lists in lists',
		whole(200, `{"success":true,"data":${'['.repeat(50_000)}${']'.repeat(50_000)}}`),
		unreadable(200, 'download'),
	],
	['HTML', whole(200, HTML, { 'content-type': 'text/html' }), unreadable(200)],
	['JSON in UTF-16', whole(200, Buffer.from(`\uFEFF${RIGHT}`, 'utf16le')), unreadable(200, 'download')],
	['301 to another host', movedTo(301), { code: 'unexpected_answer', httpStatus: 301 }],
	['302 to another host', movedTo(302), unreadable(302)],
	['a response that breaks off', brokenOff(RIGHT), broken],
	['no response', ({ socket }) => socket?.destroy(), broken],
	['what is no HTTP', ({ socket }) => socket?.end('SSH-2.0-OpenSSH_9.6\r\n'), broken],
	['gzip that is none', whole(200, RIGHT, { ...JSON_TYPE, 'content-encoding': 'gzip' }), broken],
])('%s', async (_, respond, { code, httpStatus, maybe = false, again, done = [] }) => {
	for (const call of calls) {
		const { first, requests } = await make(call, respond);
		const outcome = first?.error
			? { ...first.json, ambiguous: first.json.ambiguous === true, requests }
			: { requests };
		const failed = {
			code,
			httpStatus,
			ambiguous: call === 'send' && maybe,
			requests: again ? ATTEMPTS[call] : 1,
		};
		expect({ call, ...outcome }).toMatchObject({ call, ...(done.includes(call) ? { requests: 1 } : failed) });
		if (done.includes(call)) expect(first?.error).toBeUndefined();
	}
});

test.each<[string, Respond]>([
	['gzip', whole(200, gzipSync(RIGHT), { ...JSON_TYPE, 'content-encoding': 'gzip' })],
	['a byte order mark', whole(200, `\uFEFF${RIGHT}`)],
	['another content type', whole(200, RIGHT, { 'content-type': 'text/html; charset=x-9' })],
	[
		'odd rate headers',
		whole(200, RIGHT, {
			...JSON_TYPE,
			'x-ratelimit-limit': '-1',
			'x-ratelimit-remaining': 'NaN',
			'x-ratelimit-reset': '9e15',
		}),
	],
])('%s does not keep a response from being read', async (_, respond) => {
	for (const call of ['read', 'list', 'create'] as const) {
		const { output, requests } = await make(call, respond);
		expect(output.map((item) => item.json)).toEqual([{ id: 'one', name: 'Ünal ✓' }]);
		expect(requests).toBe(1);
	}
});

test('100,000 records at once are a list', async () => {
	const data = Array.from({ length: 100_000 }, (_, index) => ({
		id: `r${index}`,
		timestamp: 2_000_000_000 - index,
	}));
	expect((await make('list', json({ success: true, data }))).output).toHaveLength(100_000);

	respondNow = (response, ...given) =>
		json({ success: true, data: given[1].has('before') ? data.slice(-1) : data })(response, ...given);
	const { output } = await run({ baseUrl, apiKey: 'messages' }, virtualClock(), {
		operation: 'chat:getMessages',
		items: [{}],
		parameters: { chatId: byId('905551234567@c.us'), returnAll: true },
	});
	expect(output).toHaveLength(100_000);
});

const anything = fc.jsonValue({ maxDepth: 1 });
const envelope = fc.record(
	{
		success: fc.oneof(fc.constant(true), anything),
		data: fc.jsonValue(),
		error: fc.oneof(fc.string(), anything),
		message: fc.oneof(fc.string(), anything),
		pagination: fc.oneof(
			fc.record({ page: fc.jsonValue(), limit: fc.jsonValue(), total: fc.jsonValue() }),
			anything,
		),
	},
	{ requiredKeys: [] },
);
const body = fc.oneof(envelope, fc.jsonValue()).map((value) => JSON.stringify(value));
const status = fc.constantFrom(200, 201, 202, 400, 404, 409, 418, 500, 502, 504);

test('any JSON becomes an error in words for people, or the success that it tells of', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.constantFrom(...calls),
			status,
			fc.oneof({ weight: 4, arbitrary: body }, { weight: 1, arbitrary: fc.string() }),
			async (call, statusCode, content) => {
				const { first, requests } = await make(call, whole(statusCode, content));

				if (first?.error) {
					const isUnderstood = !/in a form that is not understood/.test(String(first.json.error));
					expect(first.json).toMatchObject({
						httpStatus: isUnderstood ? statusCode : null,
						code: expect.stringMatching(/^[\w.:-]+$/),
					});
				} else {
					expect(statusCode).toBeLessThan(300);
					if (call === 'send') expect(flagOf((JSON.parse(content) as IDataObject).success)).toBe(true);
				}
				expect(requests).toBeLessThanOrEqual(ATTEMPTS[call]);
			},
		),
		{ numRuns: 150, seed: 20_300_131 },
	);
});
