import type { INode } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { connect, type LookupFunction } from 'node:net';

import { networkFailureOf } from '../../../nodes/MessagingChannel/api/networkFailure';

const node = { name: 'Node' } as INode;

/** What n8n 1.x makes of an error: the code as that of an HTTP answer, the words as the first of its messages. */
function asOf1x(words: string, code?: string): NodeApiError {
	const wrapped = new NodeApiError(node, Object.assign(new Error(words), { code }) as never);
	return Object.assign(wrapped, { cause: undefined });
}

/** What n8n 2.x makes of an error: it stands in its cause, as the HTTP client has left it. */
const asOf2x = (words: string, code?: string, request?: object) =>
	new NodeApiError(node, Object.assign(new Error(words), { code, request }) as never);

const openssl = (reason: string, alert?: number) =>
	`80BC:error:0A000410:SSL routines:ssl3_read_bytes:${reason}:../rec_layer_s3.c:1601:${alert ? `SSL alert number ${alert}` : ''}\n`;

/** Of the codes that Node documents under "X509 certificate error codes", one for each word that tells them. */
const X509_CODES = [
	'UNABLE_TO_GET_CRL',
	'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY',
	'CERT_HAS_EXPIRED',
	'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
	'INVALID_CA',
	'PATH_LENGTH_EXCEEDED',
	'INVALID_PURPOSE',
	'HOSTNAME_MISMATCH',
	'ERR_TLS_CERT_ALTNAME_INVALID',
];

describe.each([
	['1.x', asOf1x],
	['2.x', asOf2x],
])('as n8n %s throws it,', (_, thrown) => {
	test.each(X509_CODES)('%s is about the certificate, and nothing was sent', (code) => {
		expect(networkFailureOf(thrown('certificate', code))).toMatchObject({
			code,
			neverSent: true,
			permanent: true,
		});
	});

	test.each([
		['ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:9'],
		['ETIMEDOUT', 'connect ETIMEDOUT 203.0.113.1:443'],
		['ENETUNREACH', 'connect ENETUNREACH 203.0.113.1:443 - Local (0.0.0.0:0)'],
		['ETIMEDOUT', 'connect ETIMEDOUT 203.0.113.1:443 | connect ENETUNREACH 2001:db8::1:443'],
		['ENOTFOUND', 'getaddrinfo ENOTFOUND api.example.com'],
		['EAI_AGAIN', 'getaddrinfo EAI_AGAIN api.example.com'],
		['ECONNRESET', 'Client network socket disconnected before secure TLS connection was established'],
		['ERR_SOCKET_CLOSED_BEFORE_CONNECTION', 'Socket closed before the connection was established'],
		['ERR_TLS_INVALID_PROTOCOL_VERSION', 'TLSv9 is not a valid TLS protocol version'],
		[undefined, 'Proxy connection ended before receiving CONNECT response'],
	])('%s: "%s" comes before anything is sent, and can pass', (code, words) => {
		expect(networkFailureOf(thrown(words, code))).toMatchObject({
			code,
			neverSent: true,
			permanent: false,
		});
	});

	test.each([
		[40, 'handshake failure'],
		[48, 'unknown ca'],
		[116, 'certificate required'],
	])('the alert %d, %s, ends a handshake', (alert, reason) => {
		const words = openssl(`tlsv1 alert ${reason}`, alert);
		for (const code of ['EPROTO', `ERR_SSL_TLSV1_ALERT_${reason.toUpperCase().replaceAll(' ', '_')}`]) {
			expect(networkFailureOf(thrown(words, code))).toEqual({
				code,
				detail: `tlsv1 alert ${reason}`,
				neverSent: true,
				permanent: true,
			});
		}
	});

	test.each([
		['ECONNRESET', 'read ECONNRESET'],
		['ECONNRESET', 'socket hang up'],
		['ECONNRESET', 'aborted'],
		['ETIMEDOUT', 'read ETIMEDOUT'],
		['ECONNABORTED', 'timeout of 300000ms exceeded'],
		['HPE_INVALID_CONSTANT', 'Parse Error: Expected HTTP/, RTSP/ or ICE/'],
		['Z_DATA_ERROR', 'incorrect header check'],
		['ERR_SSL_WRONG_VERSION_NUMBER', openssl('wrong version number')],
		['ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', openssl('decryption failed or bad record mac')],
		['ERR_SSL_SSLV3_ALERT_BAD_RECORD_MAC', openssl('sslv3 alert bad record mac', 20)],
		['ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR', openssl('tlsv1 alert internal error', 80)],
		[undefined, 'Something else'],
		[undefined, 'The service says connect ECONNREFUSED'],
		[undefined, 'connect ETIMEDOUT 203.0.113.1:443 | read ECONNRESET'],
	])('%s: "%s" may come after the request went out', (code, words) => {
		expect(networkFailureOf(thrown(words, code))).toMatchObject({
			code,
			neverSent: false,
			permanent: false,
		});
	});
});

const REFUSED_WRITE = `write EPROTO ${openssl('wrong version number')}`;

test('a write that TLS refused counts as not sent where nothing is known of the connection', () => {
	expect(networkFailureOf(asOf1x(REFUSED_WRITE, 'EPROTO'))).toEqual({
		code: 'EPROTO',
		detail: 'wrong version number',
		neverSent: true,
		permanent: true,
	});
	const established = { socket: { secureConnecting: false, bytesWritten: 240 } };
	expect(networkFailureOf(asOf2x(REFUSED_WRITE, 'EPROTO', established)).neverSent).toBe(false);
});

test.each([
	['waits for the handshake', { socket: { secureConnecting: true, bytesWritten: 240 } }, true],
	['has carried nothing', { socket: { bytesWritten: 0 } }, true],
	['was never made', { socket: null }, true],
	['has carried something', { socket: { secureConnecting: false, bytesWritten: 1 } }, false],
	['is unknown', {}, false],
])('a connection that %s decides', (_, request, neverSent) => {
	for (const code of ['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ETIMEDOUT']) {
		expect(networkFailureOf(asOf2x(`read ${code}`, code, request))).toMatchObject({ code, neverSent });
	}
});

test.each(['SsrfBlockedIpError', 'SsrfBlockedHostnameError'])('%s comes before anything is sent', (name) => {
	const blocked = Object.assign(new Error('The request was blocked because …'), { name });
	expect(networkFailureOf(new NodeApiError(node, blocked as never))).toMatchObject({
		code: 'SSRF',
		neverSent: true,
		permanent: true,
	});
});

test('of several addresses that all refuse, Node makes one error', async () => {
	const addresses = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
	const lookup = ((_: string, __: object, done: (error: null, found: object) => void) =>
		done(null, addresses)) as LookupFunction;
	const refused = await new Promise<Error>((resolve) =>
		connect({ host: 'two.example', port: 9, lookup, autoSelectFamily: true }).once('error', resolve),
	);
	expect(refused.name).toBe('AggregateError');
	expect(networkFailureOf(new NodeApiError(node, refused as never))).toMatchObject({
		code: 'ECONNREFUSED',
		neverSent: true,
	});
});

test.each([undefined, null, 'text', 7, [], {}, { code: 7 }])('%j says nothing', (thrown) => {
	expect(networkFailureOf(thrown)).toMatchObject({ code: undefined, neverSent: false });
});
