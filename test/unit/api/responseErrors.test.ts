import type { Endpoint } from '../../../nodes/MessagingChannel/api/apiRequest';
import { ApiError, isNotFound, withoutSecret } from '../../../nodes/MessagingChannel/api/errors';
import { networkError } from '../../../nodes/MessagingChannel/api/networkError';
import { redirectError, responseError, toldStatus } from '../../../nodes/MessagingChannel/api/responseErrors';
import type { ResponseBody } from '../../../nodes/MessagingChannel/api/values';

const read: Endpoint = { method: 'GET', path: '/contacts/{phone}', permission: 'chats:read' };
const send: Endpoint = { method: 'POST', path: '/messages/send', permission: 'messages:send', sends: 'text' };
const inferred: Endpoint = {
	method: 'GET',
	path: '/auto-replies/{id}',
	permission: 'messages:read',
	inferred: 'endpoint',
};

const page = '<html><h1>Forbidden</h1></html>';
const corrected: Endpoint = { ...send, path: '/broadcasts', inferred: 'body', corrected: true };

test.each<[message: string, description: RegExp, ApiError]>([
	[
		'No record with this ID in this account',
		/^Check the ID\./,
		responseError({ ...read, path: '/broadcasts/{id}' }, 404, { error: 'not_found', message: 'Said so.' }),
	],
	[
		"There is no messaging service at the 'Base URL' (HTTP 404)",
		/^Check the 'Base URL' /,
		responseError(send, 404, page),
	],
	...['/webhooks', '/webhooks/test'].map((path): [string, RegExp, ApiError] => [
		'The account has no webhook',
		/^Publish a workflow with the Messaging Channel Trigger, or run Webhook > Set\.$/,
		responseError({ ...read, path }, 404, { error: 'not_found' }),
	]),
	[
		'The ID or the endpoint was not found',
		/^Check the ID\. If it is right, the service .*: 'GET \/auto-replies\/\{id\}' is undocumented.* 'Endpoint Path'\.$/,
		responseError(inferred, 404, { error: 'not_found' }),
	],
	[
		'The endpoint was not found',
		/^The service .*: 'GET \/auto-replies\/\{id\}' is undocumented.* 'Endpoint Path'\.$/,
		responseError(inferred, 405, page),
	],
	[
		'The service rejected a value in this request',
		/^Correct the value .* undocumented\..* 'Body Fields'\. The service said: "text is required"$/,
		responseError({ ...send, inferred: 'body' }, 400, {
			error: 'validation_error',
			message: 'text is required',
		}),
	],
	[
		'The endpoint was not found',
		/^The service .*: 'POST \/broadcasts' is what you entered in the option 'Endpoint Path'\. Correct it there\.$/,
		responseError(corrected, 404, page),
	],
	[
		'No contact with this phone number in this account',
		/^Check the number/,
		responseError(read, 400, { error: 'contact_not_found' }),
	],
	...[{ error: 'forbidden' }, page].map((body): [string, RegExp, ApiError] => [
		'The service refused the request (HTTP 403)',
		/^Check the 'Base URL' in the credential\. A proxy or firewall [^.]* may have responded instead\.$/,
		responseError({ ...read, permission: 'valid key' }, 403, body),
	]),
	[
		'The service refused the request (HTTP 403)',
		/^The API key may lack the permission 'messages:send': .*\. A proxy .*\.$/,
		responseError(send, 403, page),
	],
	[
		'The service rejected the API key',
		/^Open the credential .*\. A proxy .*\.$/,
		responseError(read, 401, page),
	],
	['The service rejected a value in this request', / again\. A proxy .*\.$/, responseError(read, 400, page)],
	['The service did not find what this request names', /\. A proxy .*\.$/, responseError(read, 404, page)],
	['The request is too large', /^Send a smaller file.* raise the limit\.$/, responseError(send, 413, page)],
	...['teapot', 'constructor', '__proto__'].map((code): [string, RegExp, ApiError] => [
		`The service returned '${code}' (HTTP 418)`,
		/^Look up the code /,
		responseError(read, 418, { error: code }),
	]),
	[
		'The request was rejected (HTTP 409)',
		/^The response has no code .* may have responded instead\. The service said: "Something went wrong\. at main"$/,
		responseError(read, 409, { error: 'Something went wrong.\n at main' }),
	],
	[
		'The service rejected a value in this request',
		/ The service said: "Unknown event\. message\.sent, a\.b"$/,
		responseError(read, 400, { message: 'Unknown event.', valid_events: ['message.sent', 'a.b'] }),
	],
	...[
		{ errors: { to: ['is missing'] } },
		{ details: [{ to: 'is missing' }, 7, null] },
		{ error: { details: { to: 'is missing' } } },
		{ error: { details: ['to: is missing'] } },
	].map((told): [string, RegExp, ApiError] => [
		'The service rejected a value in this request',
		/ The service said: "Invalid\. to: is missing"$/,
		responseError(read, 400, { message: 'Invalid.', ...told }),
	]),
	[
		'The service rejected a value in this request',
		/ The service said: "No such tag\."$/,
		responseError(read, 400, { error: { code: 7, message: 'No such tag.' }, message: ' ' }),
	],
])('%s: %s', (message, description, error) => {
	expect(error).toMatchObject({ message, description: expect.stringMatching(description) as string });
});

test.each<[string, Endpoint, number, unknown, string]>([
	['the Base URL for a record that is missing', read, 404, page, 'Base URL'],
	...[429, 500].map((status): [string, Endpoint, number, unknown, string] => [
		`a proxy for ${status} of a read`,
		read,
		status,
		page,
		'proxy',
	]),
	['a proxy for a code of the service', read, 404, { error: 'validation_error' }, 'proxy'],
	['words where there are none', read, 400, { error: 'validation_error', errors: [{}], details: [] }, 'said'],
	['Endpoint Path for 400', inferred, 400, {}, 'Endpoint Path'],
	...[read, send, inferred].map((endpoint): [string, Endpoint, number, unknown, string] => [
		'Body Fields where there are none',
		endpoint,
		400,
		{ error: 'validation_error' },
		'Body Fields',
	]),
	[
		'Endpoint Path for what the service did not find',
		corrected,
		404,
		{ error: 'not_found' },
		'Endpoint Path',
	],
])('an error does not name %s', (_, endpoint, status, body, words) => {
	const { message, description } = responseError(endpoint, status, body);
	expect(`${message} ${description}`).not.toContain(words);
});

test.each([
	[400, 'validation_error'],
	[401, 'invalid_api_key'],
	[403, 'forbidden'],
	[404, 'not_found'],
	[409, 'unexpected_answer'],
	[429, 'rate_limit_exceeded'],
	[500, 'internal_error'],
	[502, 'internal_error'],
	[504, 'send_timeout'],
])('the code of %d without one follows from the status: %s', (status, code) => {
	for (const body of [{}, '<html>', '', undefined, null, [], { error: 7 }, { error: '' }]) {
		expect(responseError(read, status, body)).toMatchObject({ code, httpStatus: status });
	}
});

test.each<[number, ResponseBody, number]>([
	[200, { error: 'rate_limit_exceeded' }, 429],
	[202, { success: false, error: 'send_timeout' }, 504],
	[200, { success: 0, error: 'internal_error' }, 500],
	[200, { error: 'invalid_api_key' }, 401],
	[200, { error: 'forbidden' }, 403],
	[200, { error: 'not_found' }, 404],
	[200, { error: 'no_media' }, 404],
	[200, { error: 'contact_not_found' }, 404],
	[299, { error: 'too_many_phones' }, 400],
	// Nothing is known of other codes, and other statuses say enough.
	[200, { error: 'brand_new' }, 200],
	[300, { error: 'not_found' }, 300],
	[409, { error: 'validation_error' }, 409],
])('the status %d with %j is told as %d', (status, body, told) => {
	expect(toldStatus(status, body)).toBe(told);
});

describe('what the service says', () => {
	test('is quoted on one line, and only so much of it as can be read', () => {
		const { description } = responseError(read, 400, { message: `First\n\tsecond ${'word '.repeat(1000)}` });

		expect(description).toContain('The service said: "First second word word');
		expect(description).toMatch(/ word …"$/);
		expect(description.length).toBeLessThan(700);
	});

	test('is told without the key that it quotes', () => {
		const error = responseError(send, 504, { error: 'send_timeout', message: 'Key abc-123 waited.' });

		const hidden = withoutSecret(error, 'abc-123');

		expect(hidden.description).toMatch(/The service said: "Key \*\*\* waited\."$/);
		expect(hidden).toMatchObject({
			message: error.message,
			code: 'send_timeout',
			httpStatus: 504,
			ambiguous: true,
		});
		expect(withoutSecret(networkError(send, { code: 'CERT_HAS_EXPIRED' }), 'abc-123')).toMatchObject({
			neverSent: true,
			permanent: true,
		});
		for (const short of ['', 'Key']) expect(withoutSecret(error, short).description).toBe(error.description);
	});
});

describe('a redirect', () => {
	const api = '/api/v1/whatsapp/external';
	const happened = "The 'Base URL' in the credential redirects to another address";

	test.each([
		[301, true],
		[302, false],
		[303, false],
		[307, true],
		[308, true],
	])('%d leaves a send %s to have never been taken', (status, neverSent) => {
		const error = redirectError(send, status, `https://new.example.com${api}/messages/send?to=1`);
		expect(error).toMatchObject({
			code: 'unexpected_answer',
			httpStatus: status,
			ambiguous: !neverSent,
			neverSent,
			permanent: true,
		});
		expect(error?.message).toMatch(neverSent ? happened : /may have been sent/);
		expect(error?.description).toContain(
			`It redirects to https://new.example.com${api}. If the service is there`,
		);
		expect(error?.description.startsWith(`${happened}. Before you send it again`)).toBe(!neverSent);
		expect(redirectError(read, status, '/login')).toMatchObject({ message: happened, ambiguous: false });
	});

	test.each([200, 204, 300, 304, 305, 306])('is none with %d', (status) => {
		expect(redirectError(send, status, 'https://new.example.com')).toBeUndefined();
	});

	test.each([
		[`https://new.example.com/eu${api}/chats/905%40c.us/messages`, `https://new.example.com/eu${api}`],
		[`http://user:password@new.example.com:8080${api}`, `http://new.example.com:8080${api}`],
		['HTTPS://login.example.com/in/token-of-somebody?key=abc#token', 'https://login.example.com'],
	])('to %s shows %s', (location, shown) => {
		expect(redirectError(read, 301, location)?.description).toMatch(
			new RegExp(`^It redirects to ${shown.replace(/[/.]/g, '\\$&')}\\. `),
		);
	});

	test.each([
		...[undefined, '', '/login?next=secret', 'javascript:alert(1)', 'ftp://new.example.com/https:'],
		...['https://', 7],
	])('to %j shows nothing of it', (location) => {
		expect(redirectError(read, 301, location)?.description).toBe(
			"Check the 'Base URL' in the credential. A proxy or firewall between n8n and the service may have responded instead.",
		);
	});
});

test.each([
	[404, 'not_found', true, true],
	[404, 'no_media', true, false],
	[404, 'not_found', false, false],
	[404, 'not_found', undefined, false],
	[500, 'not_found', true, false],
	[200, 'not_found', true, false],
])(
	'that a record does not exist is said by %d, %s, the code its own %s: %s',
	(httpStatus, code, hasOwnCode, expected) => {
		const error = new ApiError({ message: '', description: '', code, httpStatus, hasOwnCode });
		expect(isNotFound(error)).toBe(expected);
		expect(isNotFound({ ...error })).toBe(false);
	},
);
