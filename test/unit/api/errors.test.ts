import { create as broadcast } from '../../../nodes/MessagingChannel/actions/broadcast/create';
import { create as scheduled } from '../../../nodes/MessagingChannel/actions/scheduledMessage/create';
import type { Endpoint } from '../../../nodes/MessagingChannel/api/apiRequest';
import { ApiError, mayHaveBeenMade, unconfirmedError } from '../../../nodes/MessagingChannel/api/errors';
import { networkError } from '../../../nodes/MessagingChannel/api/networkError';
import { rateLimitError } from '../../../nodes/MessagingChannel/api/rateLimiter';
import {
	redirectError,
	responseError,
	unreadableResponseError,
} from '../../../nodes/MessagingChannel/api/responseErrors';

const read: Endpoint = { method: 'GET', path: '/contacts/{phone}', permission: 'chats:read' };
const send: Endpoint = { method: 'POST', path: '/messages/send', permission: 'messages:send', sends: 'text' };

/** Both tables of the API spec, "Errors": what happened, and what to do. */
const codes: Array<[number, string, RegExp, RegExp]> = [
	[400, 'validation_error', /rejected a value/, /Correct the value/],
	[400, 'account_not_connected', /account is not connected/, /Reconnect it in the account panel/],
	[401, 'invalid_api_key', /rejected the API key/, /Open the credential/],
	[403, 'forbidden', /lacks the permission 'chats:read'/, /Add the permission to the key/],
	[404, 'not_found', /did not find what this request names/, /Check the values/],
	[429, 'rate_limit_exceeded', /reached its rate limit/, /Wait until the limit resets/],
	[500, 'internal_error', /could not process the request/, /Wait a moment, then run again/],
	[504, 'send_timeout', /did not finish the request in time/, /Wait a moment, then run again/],
	[400, 'too_many_phones', /more phone numbers than/, /Split Out/],
	[400, 'invalid_date', /'Scheduled At'/, /a date and time in the future/],
	[422, 'invalid_trigger_type', /'Trigger Type'/, /trigger types in the account panel/],
	[400, 'content_blocked', /content policy/, /Message > Validate/],
	[404, 'no_media', /has no media/, /has_media/],
	[400, 'invalid_filename', /file name/, /exactly as the service returned it/],
	[404, 'contact_not_found', /No contact with this phone number/, /Contact > Sync/],
];

test.each(codes)('%d %s says what happened and what to do, and quotes the service', (...given) => {
	const [status, code, message, description] = given;
	const error = responseError(read, status, { error: code, message: 'Said so.' });

	expect(error).toMatchObject({ code, httpStatus: status, ambiguous: false, neverSent: false });
	expect(error.message).toMatch(message);
	expect(error.description).toMatch(description);
	expect(error.description).toMatch(/ The service said: "Said so\."$/);
});

describe('a send', () => {
	test.each([
		...[500, 502, 503, 504].map((status) => [status, undefined] as const),
		...[200, 408, 429].flatMap((status) => [
			[status, 'send_timeout'] as const,
			[status, 'internal_error'] as const,
		]),
		[503, 'brand_new'] as const,
	])('answered with %d and the code %s may have arrived', (status, error) => {
		expect(responseError(send, status, { error })).toMatchObject({
			ambiguous: true,
			message: expect.stringMatching(/may have been sent/) as string,
		});
	});

	test.each([400, 401, 403, 404, 429])('answered with %d has not', (status) => {
		expect(responseError(send, status, {}).ambiguous).toBe(false);
	});

	test('answered with something else may have arrived, and the user is told', () => {
		expect(unreadableResponseError(send, 200)).toMatchObject({
			ambiguous: true,
			code: 'unexpected_answer',
			message: expect.stringMatching(/may have been sent/) as string,
			description: expect.stringMatching(
				/^The response is not in the format.*Before you send it again/,
			) as string,
		});
	});

	test('in doubt since an earlier try is in doubt still', () => {
		expect(unconfirmedError(send)).toMatchObject({ ambiguous: true, code: 'send_timeout', httpStatus: null });
	});

	test.each([
		['a broadcast', broadcast.endpoint, 'Broadcast > Get Many'],
		['a scheduled message', scheduled.endpoint, 'Scheduled Message > Get Many'],
	])('with %s, the chats do not show it yet', (_, endpoint, list) => {
		const advice = `Before you make it again, look for the result with ${list}. The chats may not show it yet.`;
		for (const error of [
			responseError(endpoint, 500, {}),
			unreadableResponseError(endpoint, 200),
			unconfirmedError(endpoint),
		]) {
			expect(error.ambiguous).toBe(true);
			expect(error.description).toContain(advice);
		}
	});
});

describe('a request that creates something', () => {
	const create: Endpoint = { method: 'POST', path: '/auto-replies', permission: 'messages:send' };
	const checkFirst = expect.stringContaining(
		'The service may still have processed the request. Check the result before you run again',
	) as string;

	test('is to be checked before it is made again, unless it was refused or never sent', () => {
		for (const unconfirmed of [
			responseError(create, 500, {}),
			responseError(create, 504, {}),
			unreadableResponseError(create, 200),
			redirectError(create, 303, undefined),
			networkError(create, thrown('ECONNRESET')),
		])
			expect(unconfirmed).toMatchObject({ description: checkFirst, ambiguous: false });
		for (const refused of [
			responseError(create, 400, {}),
			redirectError(create, 307, undefined),
			networkError(create, thrown('ECONNREFUSED')),
		])
			expect(refused).not.toMatchObject({ description: checkFirst });
	});

	test('names the failure of the connection', () => {
		expect(networkError(create, thrown('ECONNRESET'))).toMatchObject({
			message: 'The connection to the service was lost',
			description:
				'The service may still have processed the request. Check the result before you run again (ECONNRESET).',
		});
	});
});

test('a read answered with something else is told to look at the address and the proxy', () => {
	expect(unreadableResponseError(read, 302)).toMatchObject({
		ambiguous: false,
		httpStatus: 302,
		description: expect.stringMatching(/Base URL.*proxy/) as string,
	});
});

/** As n8n throws it: the HTTP client's error inside its own. */
const thrown = (code: string, more: object = {}) =>
	new Error('n8n', { cause: Object.assign(new Error(code), { code, ...more }) });

describe('the words of an error', () => {
	const read: Endpoint = { method: 'GET', path: '/account', permission: 'valid key' };

	test('are those of an error that n8n and a workflow can tell', () => {
		expect(rateLimitError(0).description).toBe('Run again after that time.');
		expect(rateLimitError(0, 'Max Rate Limit Wait (Seconds)')).toMatchObject({
			name: 'ApiError',
			neverSent: true,
			message: 'The account has reached its rate limit, which resets at 1970-01-01T00:00:00.000Z',
			description:
				"Run again after that time, or increase the option 'Max Rate Limit Wait (Seconds)' so that the node waits.",
		});
	});

	test.each([
		{ code: 'e1' },
		{ code: '1ECONNRESET' },
		{ code: 42 },
		{ code: 'ECONNRESETx' },
		{ code: ['EPIPE'] },
	])('know no system code in %j', (error) => {
		expect(networkError(read, error).description).toContain('(no response)');
	});

	test('know the system code of an error that four others wrap, and look no deeper', () => {
		const wrapped = (times: number): object =>
			times === 0 ? { code: 'EPIPE' } : { cause: wrapped(times - 1) };
		expect(networkError(read, wrapped(4)).description).toContain('(EPIPE)');
		expect(networkError(read, wrapped(5)).description).toContain('(no response)');
	});
});

test('a request without a response may have been made if the network failed, and not if n8n could not make it', () => {
	const unsent = { message: 'A file is missing', description: 'Add it.', code: 'no_file', httpStatus: null };

	expect(mayHaveBeenMade(networkError({ ...send, sends: undefined }, { code: 'ECONNRESET' }))).toBe(true);
	expect(mayHaveBeenMade(new ApiError(unsent))).toBe(false);
});

test.each([
	[200, true],
	[400, false],
	[499, false],
	[500, true],
])('a request whose response fails with %d may have been made: %s', (status, expected) => {
	expect(mayHaveBeenMade(responseError(read, status, { error: 'brand_new' }))).toBe(expected);
});
