import { isRecord } from './values';

/** What the HTTP layer reports about a request without a response. */
export interface NetworkFailure {
	/** The code of the system, Node or TLS, e.g. `ECONNREFUSED`. */
	code?: string;
	/** Why TLS ended the connection, in OpenSSL's words. */
	detail?: string;
	/** Whether it is proven that the request was not sent. */
	neverSent: boolean;
	/** Whether somebody has to fix something before a request can be sent. */
	permanent: boolean;
}

/**
 * Reads what was thrown instead of a response. n8n 2.x passes on the state of the connection, n8n 1.x only the code and the
 * messages. Each can prove that nothing was sent.
 */
export function networkFailureOf(thrown: unknown): NetworkFailure {
	const errors = withCauses(thrown);
	const texts = errors.flatMap(({ message, messages }) => [message, messages].flat()).filter(isString);
	const requests = errors.map(({ request }) => request).filter(isRecord);
	// n8n 1.x passes the code on as that of an HTTP response.
	const codes = errors.flatMap(({ code, httpCode }) => [code, httpCode]).filter(isString);
	const code = codes.find((candidate) => /^[A-Z][A-Z0-9_]+$/.test(candidate));

	const isBlocked = errors.some(({ name }) => isString(name) && name.startsWith('SsrfBlocked'));
	const hasCode = (pattern: RegExp) => code !== undefined && pattern.test(code);
	const neverSent =
		isBlocked ||
		hasCode(CERTIFICATE) ||
		hasCode(NEVER_CONNECTED) ||
		texts.some(isConnectFailure) ||
		requests.some(isUnsent) ||
		(requests.length === 0 && texts.some((text) => REFUSED_WRITE.test(text)));
	return {
		code: isBlocked ? 'SSRF' : code,
		detail: texts.map((text) => TLS_REASON.exec(text)?.[1]).find(isString),
		neverSent,
		permanent: isBlocked || hasCode(CERTIFICATE) || (neverSent && hasCode(TLS)),
	};
}

/** Node's documented codes for X.509 verification and for its own check of the host name. */
const CERTIFICATE =
	/^(?!ERR_SSL_).*(CERT|CRL|ISSUER|LEAF_SIGNATURE|INVALID_CA|PATH_LENGTH|INVALID_PURPOSE|HOSTNAME_MISMATCH)/;

/** Codes that only occur before the connection is established, or while TLS is set up. */
const NEVER_CONNECTED = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ERR_SOCKET_CLOSED_BEFORE_CONNECTION|ERR_TLS_.*)$/;

/** OpenSSL's codes, and where its reason stands in the message. */
const TLS = /^(EPROTO|ERR_SSL_.*)$/;
const TLS_REASON = /:SSL routines:[^:]*:([^:]+):/;

/** OpenSSL holds a request back until the handshake is done, and refuses to write it when the handshake fails. */
const REFUSED_WRITE = /^write EPROTO .*:SSL routines:/;

/** Messages of Node and of the proxy agent about failures before the connection is established. */
const CONNECT_MESSAGE =
	/^((connect|getaddrinfo) [A-Z]|Client network socket disconnected before|Proxy connection ended before)/;

/** Alerts that a server sends only during the handshake (RFC 8446, section 6.2). With TLS 1.3 they can arrive later. */
const HANDSHAKE_ALERTS = new Set([
	40, 42, 43, 44, 45, 46, 48, 49, 51, 70, 71, 86, 109, 110, 112, 113, 115, 116, 120,
]);

/** Whether a message reports a failed connection. One message can report several addresses, which `|` separates. */
function isConnectFailure(text: string): boolean {
	const [, alert] = /SSL alert number (\d+)/.exec(text) ?? [];
	return HANDSHAKE_ALERTS.has(Number(alert)) || text.split(' | ').every((part) => CONNECT_MESSAGE.test(part));
}

/** Whether a request ended before its first byte was sent. With TLS, `bytesWritten` also counts bytes held back. */
function isUnsent({ socket }: Record<string, unknown>): boolean {
	if (!isRecord(socket)) return socket === null;
	return socket.secureConnecting === true || socket.bytesWritten === 0;
}

function withCauses(thrown: unknown): Array<Record<string, unknown>> {
	const errors: Array<Record<string, unknown>> = [];
	for (let error = thrown; isRecord(error) && errors.length < 5; error = error.cause) errors.push(error);
	return errors;
}

const isString = (value: unknown): value is string => typeof value === 'string';
