import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { IDataObject } from 'n8n-workflow';

import {
	broken,
	deletedOr,
	fileOr,
	listOr,
	readOr,
	refused,
	sentOn,
	taken,
	unreadable,
	type Expectation,
} from './expectations';
import { ERROR_CODES } from '../../support/service/spoil';
import type { Respond } from '../../support/engine/stubServer';

/** One response, and what it must come to. */
export interface BadResponse {
	name: string;
	respond: Respond;
	expect: Expectation;
}

type Body = string | Buffer;
type Headers = Record<string, string | string[]>;

const JSON_TYPE = { 'content-type': 'application/json' };
const HTML_TYPE = { 'content-type': 'text/html; charset=utf-8' };
const HTML = '<!DOCTYPE html><html><head><title>Sign in</title></head><body>Please sign in</body></html>';

const whole =
	(status: number, body: Body = '', headers: Headers = JSON_TYPE): Respond =>
	(response) => {
		response.writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(body)) });
		response.end(body);
	};

/** So much of a response, and then the connection ends. */
const brokenOff =
	(body: Body, headers: Headers, status = 200): Respond =>
	(response) => {
		response.writeHead(status, { ...JSON_TYPE, ...headers });
		response.write(body, () => setImmediate(() => response.destroy()));
	};

const raw =
	(text: Body): Respond =>
	({ socket }) =>
		socket?.end(text);

const RECORD = { id: 'one', name: 'Ünal ✓' };
const PAGINATION = { page: 1, limit: 50, total: 1 };
/** What every operation can do something with: lists take it as a list of one. */
const RIGHT = { success: true, data: [RECORD], pagination: PAGINATION };
const RIGHT_TEXT = JSON.stringify(RIGHT);

const right = (name: string, respond: Respond): BadResponse => ({ name, respond, expect: taken(RECORD) });

/** JSON that is none of the service's responses. */
const odd = (name: string, value: unknown, expect: Expectation): BadResponse => ({
	name: `200 with ${name}`,
	respond: whole(200, typeof value === 'string' ? value : JSON.stringify(value)),
	expect: fileOr(expect),
});

/** JSON in which the service says no, where it says by the status that it did what was asked. */
const refusal = (name: string, value: object, code: string): BadResponse => ({
	name: `200 with ${name}`,
	respond: whole(200, JSON.stringify(value)),
	expect: refused(200, code),
});

const nested = (depth: number) => `{"success":true,"data":${'['.repeat(depth)}${']'.repeat(depth)}}`;
const nestedRecord = (depth: number) =>
	`{"success":true,"data":[${'{"in":'.repeat(depth)}1${'}'.repeat(depth)}]}`;

const wrongTypes: IDataObject[] = [{ id: { a: 1 } }, { phone: [] }, { timestamp: 'yesterday', id: null }];

const jsonResponses: BadResponse[] = [
	odd('an array', [], unreadable(200)),
	odd('a string', '"sent"', unreadable(200)),
	odd('null', 'null', deletedOr(unreadable(200))),
	odd('{}', {}, deletedOr(unreadable(200))),
	odd('success "false"', { success: 'false', data: [RECORD] }, unreadable(200)),
	odd('success null', { success: null, data: [RECORD] }, unreadable(200)),
	refusal('an error beside no success', { error: 'content_blocked', message: 'No.' }, 'content_blocked'),
	refusal('success false', { success: false }, 'unexpected_answer'),
	refusal('success false and a timeout', { success: false, error: 'send_timeout' }, 'send_timeout'),
	odd('success alone', { success: true }, deletedOr(listOr(unreadable(200), taken({})))),
	odd(
		'success and pages of nothing',
		{ success: true, pagination: PAGINATION },
		deletedOr(listOr(unreadable(200), taken({}))),
	),
	odd('data null', { success: true, data: null }, deletedOr(readOr(taken(), taken({})))),
	odd('data of text', { success: true, data: 'x' }, listOr(unreadable(200), taken({ value: 'x' }))),
	odd('data of a record', { success: true, data: RECORD }, taken(RECORD)),
	odd('data of bare values', { success: true, data: [7, null] }, taken({ value: 7 }, { value: null })),
	odd('records of wrong types', { success: true, data: wrongTypes }, taken(...wrongTypes)),
	odd('a list in lists, 50,000 deep', nested(50_000), unreadable(200)),
	odd('a record in records, 50,000 deep', nestedRecord(50_000), unreadable(200)),
	odd(
		'a message key that is a prototype',
		'{"success":true,"data":[{"id":"a","__proto__":{"b":1}}]}',
		(sample) => ({
			...taken()(sample),
			records: undefined,
		}),
	),
];

const emptyResponses: BadResponse[] = [
	...[200, 201, 202, 204].map((status) => ({
		name: `${status} with no body`,
		respond: ((response) => response.writeHead(status).end()) satisfies Respond,
		expect: status === 200 ? fileOr(deletedOr(unreadable(status))) : deletedOr(unreadable(status)),
	})),
	{
		name: '200 with blanks, as JSON',
		respond: whole(200, ' \r\n '),
		expect: fileOr(deletedOr(unreadable(200))),
	},
];

const htmlResponses: BadResponse[] = [
	{ name: '200 with HTML', respond: whole(200, HTML, HTML_TYPE), expect: unreadable(200) },
	{ name: '200 with HTML, as JSON', respond: whole(200, HTML), expect: unreadable(200) },
];

const STATUSES = [400, 401, 404, 429, 500, 502, 504];
/** What the service calls a status; ours where it has no name for it. */
const codeOf = (status: number) =>
	ERROR_CODES[status] ?? (status >= 500 ? 'internal_error' : 'unexpected_answer');

const refusals: BadResponse[] = STATUSES.flatMap((status) => {
	const envelope = JSON.stringify({ error: codeOf(status), message: 'Said so.' });
	return [
		{
			name: `${status} in the envelope`,
			respond: whole(status, envelope),
			expect: refused(status, codeOf(status)),
		},
		{
			name: `${status} with HTML`,
			respond: whole(status, HTML, HTML_TYPE),
			expect: refused(status, codeOf(status)),
		},
	];
});

const PAGE_OF_WORDS = `Traceback: ${'a very long story\n    at Object.<anonymous> (server.js:1:1)\n'.repeat(2000)}`;

const words: BadResponse[] = [
	{
		name: '422 with a message as long as a book',
		respond: whole(422, JSON.stringify({ error: 'validation_error', message: PAGE_OF_WORDS })),
		expect: refused(422, 'validation_error'),
	},
	{
		name: '409 with a code that is no code',
		respond: whole(409, JSON.stringify({ error: PAGE_OF_WORDS })),
		expect: refused(409, 'unexpected_answer'),
	},
	{
		name: '401 that quotes the key',
		respond: (response, elsewhere, request) =>
			whole(
				401,
				JSON.stringify({
					error: 'invalid_api_key',
					message: `No such key: ${request.headers.authorization}`,
				}),
			)(response, elsewhere, request),
		expect: refused(401, 'invalid_api_key'),
	},
];

/** Those of 302 and 303 can lead to what came of a request. */
const redirects: BadResponse[] = [
	{ status: 301, expect: sentOn(301) },
	{ status: 302, expect: unreadable(302) },
	{ status: 303, expect: unreadable(303) },
	{ status: 307, expect: sentOn(307) },
	{ status: 308, expect: sentOn(308) },
].flatMap(({ status, expect }) => [
	{
		name: `${status} to another host`,
		respond: ((response, elsewhere) =>
			response.writeHead(status, { location: elsewhere }).end()) satisfies Respond,
		expect,
	},
]);

const breaks: BadResponse[] = [
	{
		name: 'half a response, shorter than its content-length',
		respond: brokenOff(RIGHT_TEXT.slice(0, 20), { 'content-length': String(RIGHT_TEXT.length) }),
		expect: broken,
	},
	{
		name: 'a whole response, shorter than its content-length',
		respond: brokenOff(RIGHT_TEXT, { 'content-length': '9999' }),
		expect: broken,
	},
	{
		name: 'a connection that ends without a response',
		respond: ({ socket }) => socket?.destroy(),
		expect: broken,
	},
	{
		name: 'what is no HTTP',
		respond: raw('SSH-2.0-OpenSSH_9.6\r\n'),
		expect: broken,
	},
	{
		name: 'gzip that is none',
		respond: whole(200, RIGHT_TEXT, { ...JSON_TYPE, 'content-encoding': 'gzip' }),
		expect: broken,
	},
	{
		name: 'gzip that stops in the middle',
		respond: whole(200, gzipSync(RIGHT_TEXT).subarray(0, 40), { ...JSON_TYPE, 'content-encoding': 'gzip' }),
		// n8n's HTTP client takes the half for the whole. Only the announced length shows that something is missing.
		expect: (sample) => (sample.download ? broken : deletedOr(unreadable(200)))(sample),
	},
	{
		name: 'a refusal that breaks off',
		respond: brokenOff('{"error":"no_me', { 'content-length': '99' }, 404),
		expect: (sample) => (sample.download ? refused(404, 'not_found') : broken)(sample),
	},
	{
		name: 'half a JSON that says it is whole',
		respond: whole(200, RIGHT_TEXT.slice(0, 30)),
		expect: fileOr(unreadable(200)),
	},
];

const dripping: Respond = (response) => {
	response.writeHead(200, JSON_TYPE);
	const pieces = RIGHT_TEXT.match(/.{1,10}/gs) ?? [];
	const drip = (response_: ServerResponse): unknown => {
		const piece = pieces.shift();
		return piece === undefined
			? response_.end()
			: response_.write(piece, () => setTimeout(drip, 5, response_));
	};
	drip(response);
};

const encodings: BadResponse[] = [
	{
		name: 'gzip',
		respond: whole(200, gzipSync(RIGHT_TEXT), { ...JSON_TYPE, 'content-encoding': 'gzip' }),
		// A file is asked for unpacked, because of a packed one nobody could tell whether it is whole.
		expect: (sample) => (sample.download ? broken : taken(RECORD))(sample),
	},
	right('a byte order mark', whole(200, `\uFEFF${RIGHT_TEXT}`)),
	right('content-type text/html for JSON', whole(200, RIGHT_TEXT, HTML_TYPE)),
	right('content-type that is none', whole(200, RIGHT_TEXT, { 'content-type': ';;=' })),
	right('drop by drop', dripping),
	{
		name: 'invalid UTF-8',
		respond: whole(
			200,
			Buffer.concat([
				Buffer.from('{"success":true,"data":[{"id":"'),
				Buffer.from([0xff, 0xc3]),
				Buffer.from('"}]}'),
			]),
		),
		expect: taken({ id: '\uFFFD\uFFFD' }),
	},
	{
		name: 'JSON in UTF-16',
		respond: whole(200, Buffer.from(`\uFEFF${RIGHT_TEXT}`, 'utf16le'), {
			'content-type': 'application/json; charset=utf-16le',
		}),
		expect: fileOr(unreadable(200)),
	},
];

const rateHeaders: Record<string, Headers> = {
	negative: { 'x-ratelimit-limit': '-1', 'x-ratelimit-remaining': '-5', 'x-ratelimit-reset': '-100' },
	absurd: { 'x-ratelimit-limit': '1e308', 'x-ratelimit-remaining': 'Infinity', 'x-ratelimit-reset': '9e15' },
	words: { 'x-ratelimit-limit': 'many', 'x-ratelimit-remaining': 'NaN', 'x-ratelimit-reset': 'soon' },
};

const headers: BadResponse[] = Object.entries(rateHeaders).map(([name, values]) =>
	right(`rate headers, ${name}`, whole(200, RIGHT_TEXT, { ...JSON_TYPE, ...values })),
);

/** Every response that the tests give. */
export const badResponses: readonly BadResponse[] = [
	...jsonResponses,
	...emptyResponses,
	...htmlResponses,
	...refusals,
	...words,
	...redirects,
	...breaks,
	...encodings,
	...headers,
];
