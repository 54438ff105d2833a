/** How Node words what it also gives a code, as in `connect ECONNREFUSED 127.0.0.1:80`. */
const WORDED_WITH_CODE = /^(?:connect|getaddrinfo|read|write) ([A-Z_]+)\b/;

const WORDED: ReadonlyArray<[RegExp, string]> = [
	[/^socket hang up|^aborted$/, 'ECONNRESET'],
	[/^timeout of \d+ms exceeded/, 'ECONNABORTED'],
	[/^certificate has expired/, 'CERT_HAS_EXPIRED'],
	[/^self-signed certificate$/, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
	[/^Parse Error/, 'HPE_INVALID'],
	[/^incorrect header check/, 'Z_DATA_ERROR'],
];

/**
 * The system's error code for what broke a connection, from its words. n8n 1.x keeps nothing else of an error that it
 * wraps: a list of messages, the first of which is the original one.
 */
export function codeInWords(messages: unknown): string | undefined {
	if (!Array.isArray(messages)) return undefined;
	const original = String(messages[0]);
	const worded = WORDED.find(([words]) => words.test(original));
	return worded?.[1] ?? WORDED_WITH_CODE.exec(original)?.[1];
}
