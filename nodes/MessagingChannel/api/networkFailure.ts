/** What the HTTP layer tells of a request that got no answer. */
export interface NetworkFailure {
	/** The system's, Node's or TLS's code, e.g. `ECONNREFUSED`. */
	code?: string;
	/** Why TLS ended the connection, in OpenSSL's words. */
	detail?: string;
	/** Whether the request certainly did not go out. */
	neverSent: boolean;
	/** Whether somebody has to repair something before a request can go out. */
	permanent: boolean;
}

/**
 * Reads what was thrown in place of an answer. n8n 2.x lets the state of the connection through, n8n 1.x only the code
 * and the words; each can prove that nothing went out.
 */
export function networkFailureOf(thrown: unknown): NetworkFailure {
	const errors = withCauses(thrown);
	const words = errors.flatMap(({ message, messages }) => [message, messages].flat()).filter(isText);
	const requests = errors.map(({ request }) => request).filter(isObject);
	// n8n 1.x gives the code as that of an HTTP answer.
	const codes = errors.flatMap(({ code, httpCode }) => [code, httpCode]).filter(isText);
	const code = codes.find((candidate) => /^[A-Z][A-Z0-9_]+$/.test(candidate));

	const isBlocked = errors.some(({ name }) => isText(name) && name.startsWith('SsrfBlocked'));
	const hasCode = (codes: RegExp) => code !== undefined && codes.test(code);
	const neverSent =
		isBlocked ||
		hasCode(CERTIFICATE) ||
		hasCode(NEVER_CONNECTED) ||
		words.some(tellsOfConnecting) ||
		requests.some(isUnsent) ||
		(requests.length === 0 && words.some((text) => REFUSED_WRITE.test(text)));
	return {
		code: isBlocked ? 'SSRF' : code,
		detail: words.map((text) => TLS_REASON.exec(text)?.[1]).find(isText),
		neverSent,
		permanent: isBlocked || hasCode(CERTIFICATE) || (neverSent && hasCode(TLS)),
	};
}

/** The codes of X.509 verification that Node documents, and those of its own check of the host name. */
const CERTIFICATE =
	/^(?!ERR_SSL_).*(CERT|CRL|ISSUER|LEAF_SIGNATURE|INVALID_CA|PATH_LENGTH|INVALID_PURPOSE|HOSTNAME_MISMATCH)/;

/** Codes that only come before there is a connection, or while TLS is prepared and verified. */
const NEVER_CONNECTED = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ERR_SOCKET_CLOSED_BEFORE_CONNECTION|ERR_TLS_.*)$/;

/** What OpenSSL gives, and the place of its words in the message. */
const TLS = /^(EPROTO|ERR_SSL_.*)$/;
const TLS_REASON = /:SSL routines:[^:]*:([^:]+):/;

/** OpenSSL holds a request back until the handshake is done, and refuses to write it when that fails. */
const REFUSED_WRITE = /^write EPROTO .*:SSL routines:/;

/** How Node and the proxy agent word what fails before there is a connection. Several addresses fail in one message. */
const CONNECTING =
	/^((connect|getaddrinfo) [A-Z]|Client network socket disconnected before|Proxy connection ended before)/;

/** Alerts that a server only sends while it shakes hands (RFC 8446, section 6.2); TLS 1.3 lets a client hear them later. */
const HANDSHAKE_ALERTS = new Set([
	40, 42, 43, 44, 45, 46, 48, 49, 51, 70, 71, 86, 109, 110, 112, 113, 115, 116, 120,
]);

function tellsOfConnecting(text: string): boolean {
	const [, alert] = /SSL alert number (\d+)/.exec(text) ?? [];
	return HANDSHAKE_ALERTS.has(Number(alert)) || text.split(' | ').every((part) => CONNECTING.test(part));
}

/** Whether a request ended before a byte of it went out. Of TLS, `bytesWritten` counts what waits for the handshake. */
function isUnsent({ socket }: Record<string, unknown>): boolean {
	if (!isObject(socket)) return socket === null;
	return socket.secureConnecting === true || socket.bytesWritten === 0;
}

function withCauses(thrown: unknown): Array<Record<string, unknown>> {
	const errors: Array<Record<string, unknown>> = [];
	for (let error = thrown; isObject(error) && errors.length < 5; error = error.cause) errors.push(error);
	return errors;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null;

const isText = (value: unknown): value is string => typeof value === 'string';
