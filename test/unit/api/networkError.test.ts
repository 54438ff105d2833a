import type { Endpoint } from '../../../nodes/MessagingChannel/api/apiRequest';
import { networkError } from '../../../nodes/MessagingChannel/api/networkError';

const read: Endpoint = { method: 'GET', path: '/contacts/{phone}', permission: 'chats:read' };
const send: Endpoint = { method: 'POST', path: '/messages/send', permission: 'messages:send', sends: 'text' };

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

	test('causes that go in a circle end', () => {
		const error: { cause?: unknown } = {};
		error.cause = error;
		expect(networkError(read, error).code).toBe('network_error');
	});
});
