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

test('404 for an ID says so', () => {
	const path = '/broadcasts/{id}';
	const error = responseError({ ...read, path }, 404, { error: 'not_found', message: 'Said so.' });
	expect(error.message).toBe('No record with this ID in this account');
	expect(error.description).toMatch(/^Check the ID\./);
});

test('404 without a code, where nothing is looked for, says that the Base URL may be wrong', () => {
	const error = responseError(send, 404, '<html>Not found</html>');
	expect(error).toMatchObject({
		message: "There is no messaging service at the 'Base URL' (HTTP 404)",
		code: 'not_found',
		ambiguous: false,
	});
	expect(responseError(read, 404, '<html>Not found</html>').message).not.toMatch(/Base URL/);
});

describe('the code', () => {
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
	])('of %d without one follows from the status: %s', (status, code) => {
		for (const body of [{}, '<html>', '', undefined, null, [], { error: 7 }, { error: '' }]) {
			expect(responseError(read, status, body)).toMatchObject({ code, httpStatus: status });
		}
	});

	test('decides over the status, which may be another than expected', () => {
		expect(responseError(read, 400, { error: 'contact_not_found' }).message).toMatch(/No contact/);
	});

	test('forbidden names no permission where every valid key has it', () => {
		expect(responseError({ ...read, permission: 'valid key' }, 403, { error: 'forbidden' })).toMatchObject({
			message: 'The service refused the request (HTTP 403)',
			description:
				"Check the 'Base URL' in the credential. A proxy or firewall between n8n and the service may have responded instead.",
		});
	});

	test.each(['/webhooks', '/webhooks/test'])('not_found says that there is no webhook, for %s', (path) => {
		expect(responseError({ ...read, path }, 404, { error: 'not_found' })).toMatchObject({
			message: 'The account has no webhook',
			description: 'Publish a workflow with the Messaging Channel Trigger, or run Webhook > Set.',
		});
	});

	test('that is unknown is told as it is', () => {
		const error = responseError(read, 418, { error: 'teapot' });
		expect(error.message).toBe("The service returned 'teapot' (HTTP 418)");
		expect(error.code).toBe('teapot');
	});

	test.each([['constructor'], ['toString'], ['__proto__']])('%s is only a word', (code) => {
		expect(responseError(read, 400, { error: code }).message).toBe(
			`The service returned '${code}' (HTTP 400)`,
		);
	});
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

describe('a refusal without a code, as a firewall gives it,', () => {
	const page = '<html><h1>Forbidden</h1></html>';

	test('does not claim that the key lacks a permission', () => {
		const { message, description } = responseError(send, 403, page);
		expect(message).toBe('The service refused the request (HTTP 403)');
		expect(description).toContain("may lack the permission 'messages:send'");
	});

	test.each([400, 401, 403, 404])('of %d says that the service may not have given it', (status) => {
		expect(responseError(read, status, page).description).toMatch(
			/ A proxy or firewall between n8n and the service may have responded instead\.$/,
		);
		const own = responseError(read, status, { error: 'validation_error' });
		expect(own.description).not.toContain('proxy');
	});

	test('of another status than 403 keeps its own words', () => {
		expect(responseError(read, 401, page)).toMatchObject({
			message: 'The service rejected the API key',
			description: expect.stringMatching(/^Open the credential/),
		});
	});

	test('says it once, and of no permission, where every valid key has it', () => {
		const { description } = responseError({ ...read, permission: 'valid key' }, 403, page);
		expect(description).toBe(
			"Check the 'Base URL' in the credential. A proxy or firewall between n8n and the service may have responded instead.",
		);
	});

	test.each([429, 500])('of %d is as that of the service, for a read', (status) => {
		expect(responseError(read, status, page).description).not.toContain('proxy');
	});
});

test('413 without a code says that the request is too large', () => {
	expect(responseError(send, 413, '<html><h1>413 Request Entity Too Large</h1></html>')).toMatchObject({
		code: 'unexpected_answer',
		httpStatus: 413,
		ambiguous: false,
		message: 'The request is too large',
		description: expect.stringMatching(/^Send a smaller file.* raise the limit\.$/) as string,
	});
});

describe('what the service says', () => {
	test('is quoted on one line, and only so much of it as can be read', () => {
		const { description } = responseError(read, 400, { message: `First\n\tsecond ${'word '.repeat(1000)}` });

		expect(description).toContain('The service said: "First second word word');
		expect(description).toMatch(/ word …"$/);
		expect(description.length).toBeLessThan(700);
	});

	test('is quoted with the values that it lists', () => {
		const body = {
			error: 'validation_error',
			message: 'Unknown event.',
			valid_events: ['message.sent', 'a.b'],
		};
		expect(responseError(read, 400, body).description).toMatch(
			/ The service said: "Unknown event\. message\.sent, a\.b"$/,
		);
		expect(responseError(read, 400, { errors: [{}], details: [] }).description).not.toContain('said');
	});

	test('is no code when it is a text', () => {
		expect(responseError(read, 409, { error: 'Something went wrong.\n at main' })).toMatchObject({
			code: 'unexpected_answer',
			message: 'The request was rejected (HTTP 409)',
			description: expect.stringMatching(/ The service said: "Something went wrong\. at main"$/) as string,
		});
	});

	test('is quoted from the error, if it says it there', () => {
		const { description } = responseError(read, 400, {
			error: { code: 7, message: 'No such tag.' },
			message: ' ',
		});
		expect(description).toMatch(/ The service said: "No such tag\."$/);
		expect(responseError(read, 400, { error: 'validation_error' }).description).not.toContain('said');
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

describe('404 of an inferred endpoint', () => {
	test('says that the endpoint is inferred and names the option', () => {
		const error = responseError(inferred, 404, { error: 'not_found', message: 'No.' });

		expect(error.message).toBe('The ID or the endpoint was not found');
		expect(error.description).toMatch(/^Check the ID\. If it is right, the service has this operation at/);
		expect(error.description).toContain("'GET /auto-replies/{id}'");
		expect(error.description).toContain("'Endpoint Path'");
		expect(error.code).toBe('not_found');
	});

	test('at the path that the user has entered says so, unless the service says what it did not find', () => {
		const corrected: Endpoint = { ...send, path: '/broadcasts', inferred: 'body', corrected: true };
		expect(responseError(corrected, 404, '<html>Not found</html>')).toMatchObject({
			message: 'The endpoint was not found',
			description:
				"The service has this operation at another path: 'POST /broadcasts' is what you entered in the option 'Endpoint Path'. Correct it there.",
		});
		expect(responseError(corrected, 404, { error: 'not_found' }).description).not.toContain('Endpoint Path');
	});

	test.each([[400], [500]])('but not %d', (status) => {
		expect(responseError(inferred, status, {}).description).not.toContain('Endpoint Path');
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
		undefined,
		'',
		'/login?next=secret',
		'javascript:alert(1)',
		'ftp://new.example.com/https:',
		'https://',
		7,
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
