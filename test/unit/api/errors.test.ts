import type { Endpoint } from '../../../nodes/MessagingChannel/api/apiRequest';
import {
	ApiError,
	isNotFound,
	mayHaveBeenMade,
	unconfirmedError,
	withoutSecret,
} from '../../../nodes/MessagingChannel/api/errors';
import { networkError } from '../../../nodes/MessagingChannel/api/networkError';
import { rateLimitError } from '../../../nodes/MessagingChannel/api/rateLimiter';
import {
	redirectError,
	responseError,
	unreadableResponseError,
} from '../../../nodes/MessagingChannel/api/responseErrors';

const read: Endpoint = { method: 'GET', path: '/contacts/{phone}', permission: 'chats:read' };
const send: Endpoint = { method: 'POST', path: '/messages/send', permission: 'messages:send', sends: 'text' };
const inferred: Endpoint = {
	method: 'GET',
	path: '/auto-replies/{id}',
	permission: 'messages:read',
	inferred: 'endpoint',
};

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

describe.each(codes)('%d %s', (status, code, message, description) => {
	test('says what happened and what to do, and quotes the service', () => {
		const error = responseError(read, status, { error: code, message: 'Said so.' });

		expect(error).toMatchObject({ code, httpStatus: status, ambiguous: false, neverSent: false });
		expect(error.message).toMatch(message);
		expect(error.description).toMatch(description);
		expect(error.description).toMatch(/ The service said: "Said so\."$/);
	});
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

	test('is no code when it is a text', () => {
		expect(responseError(read, 409, { error: 'Something went wrong.\n at main' })).toMatchObject({
			code: 'unexpected_answer',
			message: 'The request was rejected (HTTP 409)',
		});
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

describe('a send', () => {
	test.each([[500], [502], [503], [504]])('answered with %d may have arrived', (status) => {
		const error = responseError(send, status, {});
		expect(error.ambiguous).toBe(true);
		expect(error.message).toMatch(/may have been sent/);
	});

	test.each(
		['send_timeout', 'internal_error'].flatMap((error) => [200, 408, 429].map((status) => [status, error])),
	)('answered with %d and %s may have arrived', (status, error) => {
		expect(responseError(send, Number(status), { error }).ambiguous).toBe(true);
	});

	test.each([500, 503])('answered with %d and a code that nobody knows may have arrived', (status) => {
		expect(responseError(send, status, { error: 'brand_new' }).ambiguous).toBe(true);
	});

	test.each([[400], [401], [403], [404], [429]])('answered with %d has not', (status) => {
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
		expect(unconfirmedError()).toMatchObject({ ambiguous: true, code: 'send_timeout', httpStatus: null });
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

/** As n8n throws it: the HTTP client's error inside its own. */
const thrown = (code: string, more: object = {}) =>
	new Error('n8n', { cause: Object.assign(new Error(code), { code, ...more }) });

describe('without an answer', () => {
	test.each([
		['ECONNREFUSED', 'The connection to the service was refused'],
		['ENOTFOUND', 'The host name of the service does not exist'],
		['EAI_AGAIN', 'The host name of the service could not be looked up'],
	])('%s: %s, and a send certainly did not arrive', (code, message) => {
		for (const endpoint of [read, send]) {
			expect(networkError(endpoint, thrown(code))).toMatchObject({
				code: 'network_error',
				httpStatus: null,
				message,
				description: `Check the 'Base URL' in the credential and the network of the machine that runs n8n. Then run again (${code}).`,
				ambiguous: false,
				neverSent: true,
				permanent: false,
			});
		}
	});

	test.each([
		['CERT_HAS_EXPIRED', 'The certificate of the service has expired', /renew it/],
		['CERT_NOT_YET_VALID', 'The certificate of the service is not valid yet', /Check the clock/],
		['HOSTNAME_MISMATCH', 'The certificate of the service is for another host name', /Base URL/],
		['ERR_TLS_CERT_ALTNAME_INVALID', 'The certificate of the service is for another host name', /Base URL/],
		...[
			'DEPTH_ZERO_SELF_SIGNED_CERT',
			'SELF_SIGNED_CERT_IN_CHAIN',
			'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
			'UNABLE_TO_GET_ISSUER_CERT',
			'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
			'INVALID_CA',
			'CERT_UNTRUSTED',
		].map(
			(code) =>
				[
					code,
					'The certificate of the service is not from a trusted authority',
					/administrator .* NODE_EXTRA_CA_CERTS .* restart n8n/,
				] as const,
		),
		['CERT_REVOKED', 'The certificate of the service is not valid', /replace it/],
	] as const)('%s: %s, and nothing helps before that is repaired', (code, message, advice) => {
		for (const endpoint of [read, send]) {
			const error = networkError(endpoint, thrown(code));
			expect(error).toMatchObject({ message, ambiguous: false, neverSent: true, permanent: true });
			expect(error.description).toMatch(advice);
			expect(error.description).toMatch(new RegExp(`\\. Then run again \\(${code}\\)\\.$`));
		}
	});

	test("a connection that TLS refuses says so in OpenSSL's words, too", () => {
		const words =
			'write EPROTO 80BC:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../ssl3_record.c:350:';
		const error = networkError(send, Object.assign(new Error(words), { code: 'EPROTO' }));
		expect(error).toMatchObject({
			message: 'n8n and the service could not establish a secure connection',
			description: expect.stringMatching(
				/^Check the port in the 'Base URL'.* \(EPROTO: wrong version number\)\.$/,
			) as string,
			neverSent: true,
			permanent: true,
		});
	});

	test('an address that n8n blocks names what allows it', () => {
		const error = networkError(send, { name: 'SsrfBlockedIpError' });
		expect(error).toMatchObject({
			message: 'n8n blocks the address of the service to protect internal networks',
			description: expect.stringMatching(
				/administrator .* N8N_SSRF_ALLOWED_HOSTNAMES, .* N8N_SSRF_ALLOWED_IP_RANGES, .* \(SSRF\)\.$/,
			) as string,
			ambiguous: false,
			neverSent: true,
			permanent: true,
		});
	});

	test.each([
		['ECONNRESET', 'The connection to the service was lost'],
		['EPIPE', 'The connection to the service was lost'],
		['ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', 'The connection to the service was lost'],
		['ETIMEDOUT', 'The service did not respond in time'],
		['ECONNABORTED', 'The service did not respond in time'],
		['ERR_BAD_RESPONSE', 'The connection to the service was lost'],
		['HPE_INVALID_CONSTANT', 'The response of the service could not be read'],
		['Z_DATA_ERROR', 'The response of the service could not be read'],
		['ESOMETHING', 'The service could not be reached'],
	])('%s: %s, and a send may have arrived', (code, message) => {
		expect(networkError(read, thrown(code))).toMatchObject({
			message,
			ambiguous: false,
			neverSent: false,
			permanent: false,
		});
		const error = networkError(send, thrown(code));
		expect(error).toMatchObject({ ambiguous: true, neverSent: false });
		expect(error.message).toMatch(/may have been sent/);
		expect(error.description).toMatch(new RegExp(`^${message} \\(${code}\\)\\. Before you send it again`));
	});

	test('anything can be thrown', () => {
		for (const value of [undefined, null, 'text', new Error('without a code'), { cause: { cause: 1 } }]) {
			expect(networkError(read, value)).toMatchObject({
				code: 'network_error',
				description: expect.stringContaining('(no response)') as string,
			});
		}
	});

	test('causes that go in a circle end', () => {
		const error: { cause?: unknown } = {};
		error.cause = error;
		expect(networkError(read, error).code).toBe('network_error');
	});
});

describe('the words of an error', () => {
	const read: Endpoint = { method: 'GET', path: '/account', permission: 'valid key' };

	test('say what to do where no code tells why, or an unknown one', () => {
		expect(responseError(read, 418, {}).description).toBe(
			'The response has no code that explains why. A proxy between n8n and the service may have responded instead.',
		);
		expect(responseError(read, 409, { error: 'brand_new' }).description).toBe(
			'Look up the code in the documentation of the service.',
		);
	});

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
