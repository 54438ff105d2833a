import { API_PATH } from './baseUrl';
import type { Endpoint } from './apiRequest';
import { isRecord } from './isRecord';
import { networkFailureOf } from './networkFailure';

/** What came of a call that did not succeed: words for the user, codes for a workflow to branch on. */
export interface ApiErrorDetails {
	/** What happened. */
	message: string;
	/** What to do now. */
	description: string;
	/** The API's `error` string, or `network_error` when no answer came. */
	code: string;
	/** The HTTP status, or null when no answer came. */
	httpStatus: number | null;
	/** True for a send that may have arrived although nobody confirmed it. */
	ambiguous?: boolean;
	/** True when the service certainly did not see the request. */
	neverSent?: boolean;
	/** True when nothing helps before somebody has changed something. */
	permanent?: boolean;
}

export class ApiError extends Error implements ApiErrorDetails {
	readonly description: string;

	readonly code: string;

	readonly httpStatus: number | null;

	readonly ambiguous: boolean;

	readonly neverSent: boolean;

	readonly permanent: boolean;

	constructor(facts: ApiErrorDetails) {
		super(facts.message);
		this.name = 'ApiError';
		this.description = facts.description;
		this.code = facts.code;
		this.httpStatus = facts.httpStatus;
		this.ambiguous = facts.ambiguous ?? false;
		this.neverSent = facts.neverSent ?? false;
		this.permanent = facts.permanent ?? false;
	}
}

type Words = Pick<ApiErrorDetails, 'message' | 'description'>;

const UNCONFIRMED: Words = {
	message: 'The service did not confirm the message, and it may still have been sent',
	description:
		'Do not send it again blindly. Look in the chat, or wait for its status event, before you decide.',
};

const WORDS: Record<string, (endpoint: Endpoint) => Words> = {
	validation_error: () => ({
		message: 'The service did not accept a value of this request',
		description: 'Correct the value and run again. The same request would get the same answer.',
	}),
	account_not_connected: () => ({
		message: 'The messaging account is not connected to the channel',
		description: 'Reconnect it in the account panel, then run again.',
	}),
	invalid_api_key: () => ({
		message: 'The service does not know this API key',
		description: 'Open the credential and enter the API key from the account panel.',
	}),
	forbidden: ({ permission }) => ({
		message: `The API key lacks the permission '${permission}'`,
		description: 'Add it to the key in the account panel, then run again.',
	}),
	not_found: () => ({
		message: 'The service has nothing under this ID in this account',
		description: 'Check the ID. It may have been deleted, or belong to another account.',
	}),
	rate_limit_exceeded: () => ({
		message: 'The account has used up its requests for now',
		description: 'Wait until the limit resets, then run again. Message > Get Rate Limit says when.',
	}),
	internal_error: () => ({
		message: 'The service could not handle the request, because of a fault of its own',
		description: 'Wait a little and run again.',
	}),
	send_timeout: ({ sends }) =>
		sends
			? UNCONFIRMED
			: {
					message: 'The service did not finish in time',
					description: 'It may have done what was asked. Look first, then run again.',
				},
	too_many_phones: () => ({
		message: 'There are more phone numbers than the service takes in one call',
		description: 'Split the list, for example with the Loop Over Items node, and sync it in parts.',
	}),
	invalid_date: () => ({
		message: "The service did not accept the date in 'Scheduled At'",
		description: 'Enter a date and time that lies ahead, e.g. 2030-01-31T09:00:00Z.',
	}),
	invalid_trigger_type: () => ({
		message: "The service does not know this 'Trigger Type'",
		description: 'Enter one of the trigger types that the account panel offers.',
	}),
	content_blocked: () => ({
		message: 'The service blocked the message because of its content policy',
		description: 'Change the text. Message > Validate checks a text without sending it.',
	}),
	no_media: () => ({
		message: 'The message does not exist or has no media',
		description: "Check the message ID. Only messages with 'has_media' true have a file.",
	}),
	invalid_filename: () => ({
		message: 'The service does not allow this file name',
		description: 'Enter the file name exactly as the service gave it.',
	}),
	contact_not_found: () => ({
		message: 'There is no contact with this phone number',
		description: 'Check the number, or add the contact first with Contact > Sync.',
	}),
};

const CODE_OF_STATUS: Record<number, string> = {
	400: 'validation_error',
	401: 'invalid_api_key',
	403: 'forbidden',
	404: 'not_found',
	429: 'rate_limit_exceeded',
	504: 'send_timeout',
};

/** What can be a code of the service. */
const CODE = /^[\w.:-]{1,64}$/;

const LONGEST_QUOTE = 500;

/** A text short enough to be read in a panel. It is cut between words: half of a secret would not be recognised. */
function onOneLine(text: string): string {
	const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
	return line.length <= LONGEST_QUOTE ? line : `${line.slice(0, LONGEST_QUOTE).replace(/\S*$/, '')}…`;
}

/**
 * The error for an answer that is not a success (API spec, "Errors").
 *
 * @param endpoint what was asked
 * @param httpStatus the status of the answer
 * @param body the answer's body, of whatever shape
 */
export function errorOfAnswer(endpoint: Endpoint, httpStatus: number, body: unknown): ApiError {
	const { error, message: said } = isRecord(body) ? body : {};
	const fallback = CODE_OF_STATUS[httpStatus] ?? (httpStatus >= 500 ? 'internal_error' : 'unexpected_answer');
	const code = typeof error === 'string' && CODE.test(error) ? error : fallback;
	const ambiguous = endpoint.sends !== undefined && (httpStatus >= 500 || code === 'send_timeout');
	const words = wordsFor(code, endpoint, httpStatus, ambiguous);
	return new ApiError({
		message: words.message,
		description:
			typeof said === 'string' && said.trim() !== ''
				? `${words.description} The service said: "${onOneLine(said)}"`
				: words.description,
		code,
		httpStatus,
		ambiguous,
	});
}

function wordsFor(code: string, endpoint: Endpoint, httpStatus: number, ambiguous: boolean): Words {
	if (ambiguous) return UNCONFIRMED;
	if (endpoint.inferred === 'endpoint' && httpStatus === 404) {
		return {
			message: 'The service has nothing at this address',
			description: `Either the ID is not one of this account's, or the service has this operation elsewhere: it does not publish '${endpoint.method} ${endpoint.path}', so the address is inferred. If you know the right one, enter it under Options > Endpoint Path.`,
		};
	}
	if (code === 'unexpected_answer') {
		return {
			message: `The request was refused (HTTP ${httpStatus})`,
			description: 'No code tells why. A proxy between n8n and the service may have answered in its place.',
		};
	}
	const words = Object.hasOwn(WORDS, code) ? WORDS[code] : undefined;
	return (
		words?.(endpoint) ?? {
			message: `The service answered '${code}' (HTTP ${httpStatus})`,
			description: 'Look the code up in the documentation of the service.',
		}
	);
}

/** So short a secret is part of ordinary words. */
const SHORTEST_SECRET = 6;

/** The error without a text that nobody may read, should the service have quoted it. */
export function withoutSecret(error: ApiError, secret: string): ApiError {
	const { code, httpStatus, ambiguous, neverSent, permanent } = error;
	const hide = (text: string) => (secret.length < SHORTEST_SECRET ? text : text.replaceAll(secret, '***'));
	return new ApiError({
		message: hide(error.message),
		description: hide(error.description),
		code: hide(code),
		httpStatus,
		ambiguous,
		neverSent,
		permanent,
	});
}

/** The error for a send that an earlier try of the same run left unconfirmed. */
export function errorOfEarlierDoubt(): ApiError {
	return new ApiError({ ...UNCONFIRMED, code: 'send_timeout', httpStatus: null, ambiguous: true });
}

/** The error for an answer that says success but is not what the API describes, such as a login page of a proxy. */
export function errorOfUnreadableAnswer(endpoint: Endpoint, httpStatus: number): ApiError {
	const ambiguous = endpoint.sends !== undefined;
	const happened = 'The address answered, but not as the messaging service does';
	return new ApiError({
		message: ambiguous ? UNCONFIRMED.message : happened,
		description: ambiguous
			? `${happened}. ${UNCONFIRMED.description}`
			: 'Check the Base URL in the credential, and whether a proxy or firewall stands between n8n and the service.',
		code: 'unexpected_answer',
		httpStatus,
		ambiguous,
	});
}

const REDIRECTS = [301, 302, 303, 307, 308];

/** Those that can lead to what came of the request; the others ask for the request elsewhere. */
const REDIRECTS_TO_RESULTS = [302, 303];

/**
 * The error for an answer that sends the request on to another address. It is not followed: the key would go there, too.
 *
 * @param location the header that names the address
 * @returns undefined when the answer is no redirect
 */
export function errorOfRedirect(
	endpoint: Endpoint,
	httpStatus: number,
	location: unknown,
): ApiError | undefined {
	if (!REDIRECTS.includes(httpStatus)) return undefined;
	const neverSent = !REDIRECTS_TO_RESULTS.includes(httpStatus);
	const ambiguous = endpoint.sends !== undefined && !neverSent;
	const happened = 'The address in the Base URL leads on to another one';
	const target = targetOf(location);
	const description = target
		? `It leads to ${target}. If the service is there, enter that as the Base URL in the credential. If not, a proxy or firewall may stand between n8n and the service.`
		: 'Check the Base URL in the credential, and whether a proxy or firewall stands between n8n and the service.';
	return new ApiError({
		message: ambiguous ? UNCONFIRMED.message : happened,
		description: ambiguous ? `${happened}. ${UNCONFIRMED.description} ${description}` : description,
		code: 'unexpected_answer',
		httpStatus,
		ambiguous,
		neverSent: neverSent,
		permanent: true,
	});
}

/** The error for an answer whose status is neither a success nor an error. */
export function errorOfUnexpectedStatus(
	endpoint: Endpoint,
	httpStatus: number,
	{ location }: Record<string, unknown>,
): ApiError {
	return errorOfRedirect(endpoint, httpStatus, location) ?? errorOfUnreadableAnswer(endpoint, httpStatus);
}

/** The Base URL in the address that a redirect leads to; what comes after it can hold what nobody may read. */
function targetOf(location: unknown): string | undefined {
	const text = String(location);
	if (!/^https?:/i.test(text) || !URL.canParse(text)) return undefined;
	const { origin, pathname } = new URL(text);
	const [before = '', after] = pathname.split(API_PATH);
	return after === undefined ? origin : origin + before + API_PATH;
}

/**
 * The error for a request that was held back because the rate limit resets too late for it.
 *
 * @param until Unix time in milliseconds at which it resets
 */
export function errorOfRateLimit(until: number): ApiError {
	return new ApiError({
		message: `The account has used up its requests until ${new Date(until).toISOString()}`,
		description:
			"Run it again after that, or raise the option 'Max Rate Limit Wait', so that the node waits that long by itself.",
		code: 'rate_limit_exceeded',
		httpStatus: 429,
		neverSent: true,
	});
}

/**
 * The error for a file that stopped coming.
 *
 * @param idleMs how long no data came, in milliseconds
 */
export function errorOfStalledFile(idleMs: number): ApiError {
	return new ApiError({
		message: 'The download stalled',
		description: `No data came for ${idleMs / 1000} seconds. Run again. If it keeps happening, look at proxies and firewalls between n8n and the service.`,
		code: 'network_error',
		httpStatus: null,
	});
}

/**
 * The error for a file to upload that n8n's store does not give as it was kept. A request whose body ends before its
 * length was never one (RFC 9112, section 8).
 */
export function errorOfUnreadableFile(): ApiError {
	return new ApiError({
		message: 'n8n could not read the file to its end',
		description:
			'So it was not sent. In the store of n8n, it is damaged or was deleted on the way. Run the nodes before this one again.',
		code: 'validation_error',
		httpStatus: null,
		neverSent: true,
		permanent: true,
	});
}

/**
 * The error for a service that asks to be left alone for longer than the request may wait.
 *
 * @param error what it answered
 * @param until Unix time in milliseconds at which it may be asked again
 */
export function errorOfLongPause(error: ApiError, until: number): ApiError {
	const { message, description, code, httpStatus } = error;
	const asked = `The service asked not to be called again until ${new Date(until).toISOString()}, which is longer than the option 'Max Rate Limit Wait' allows.`;
	return new ApiError({ message, description: `${description} ${asked}`, code, httpStatus });
}

/**
 * The error for a message that was held back for a queue that does not move.
 *
 * @param waiting how many messages wait in it
 */
export function errorOfLongQueue(waiting: number): ApiError {
	return new ApiError({
		message: 'The queue of the service has not become shorter for 5 minutes',
		description: `The message was not sent, because ${waiting} others wait. See with Account > Get whether the account is connected, and run it again when the queue is shorter, or raise the option 'Pause When Queue Above'.`,
		code: 'queue_too_long',
		httpStatus: null,
		neverSent: true,
	});
}

/**
 * The error for a file whose length is not the one in Content-Length, so that nobody can tell whether it is complete.
 *
 * @param announced in bytes, as is `received`
 */
export function errorOfFileLength(announced: number, received: number): ApiError {
	return new ApiError({
		message: 'The file does not have the length that was announced',
		description: `It should have ${announced} bytes, and ${received} came. Run again. If it keeps happening, something between n8n and the service compresses files, although the node asks for uncompressed ones.`,
		code: 'network_error',
		httpStatus: null,
	});
}

const UNREACHABLE: Words = {
	message: 'The service could not be reached',
	description: 'Check the Base URL in the credential and the network of the machine that n8n runs on.',
};

/** What happened, by the code. */
const NETWORK_WORDS: ReadonlyArray<[codes: RegExp, message: string]> = [
	[/^ECONNREFUSED$/, 'Nothing answers at the address of the service'],
	[/^ENOTFOUND$/, 'The address of the service does not exist'],
	[/^EAI_AGAIN$/, 'The address of the service could not be looked up'],
	[/^(ECONNRESET|EPIPE|EPROTO|ERR_BAD_RESPONSE|ERR_SSL_.*)$/, 'The connection to the service broke'],
	[/^(ETIMEDOUT|ECONNABORTED)$/, 'The service did not answer in time'],
	// What the HTTP parser and the unpacking of compressed answers give for what they cannot read.
	[/^(HPE|Z)_/, 'The address answered, but nothing that can be read'],
];

/** What happened and what to repair; the first that fits the code. */
const REPAIRS: ReadonlyArray<Words & { codes: RegExp }> = [
	{
		codes: /^CERT_HAS_EXPIRED$/,
		message: 'The certificate of the service has expired',
		description: 'Whoever runs the service has to renew it.',
	},
	{
		codes: /^CERT_NOT_YET_VALID$/,
		message: 'The certificate of the service is not valid yet',
		description:
			'Check the clock of the machine that n8n runs on. If it is right, whoever runs the service has to replace the certificate.',
	},
	{
		codes: /ALTNAME|HOSTNAME/,
		message: 'The certificate of the service was made for another host name',
		description:
			'Enter the Base URL in the credential with the host name that the certificate was made for, or ask whoever runs the service to add this one to it.',
	},
	{
		codes: /SELF_SIGNED|ISSUER|LEAF_SIGNATURE|INVALID_CA|UNTRUSTED/,
		message: 'The certificate of the service is not from a known authority',
		description:
			"If you trust the service, let an administrator save the certificate of its authority in a file, set n8n's environment variable NODE_EXTRA_CA_CERTS to the path of that file, and restart n8n. If the authority is a well-known one, the service leaves out a certificate in between, which whoever runs it has to add.",
	},
	{
		codes: /^(EPROTO|ERR_SSL_.*)$/,
		message: 'The service and n8n could not agree on a secure connection',
		description:
			"Check the port in the Base URL, and that it begins with 'https' only if the service does. If both are right, the service asks for another version of TLS, or for a certificate, that n8n does not have: ask whoever runs it.",
	},
	{
		codes: /^SSRF$/,
		message: "n8n's protection of internal networks blocks the address of the service",
		description:
			"If the Base URL in the credential is right, let an administrator add its host name to n8n's environment variable N8N_SSRF_ALLOWED_HOSTNAMES, or its IP address to N8N_SSRF_ALLOWED_IP_RANGES, and restart n8n.",
	},
	{
		codes: /./,
		message: 'The certificate of the service is not valid',
		description: 'Whoever runs the service has to replace it.',
	},
];

/**
 * The error for a call that got no answer. Whether a send may have arrived all the same follows from whether anything of
 * it went out.
 *
 * @param thrown what the HTTP layer threw; the system's error code stands in it or in one of its causes
 */
export function errorOfNetwork(endpoint: Endpoint, thrown: unknown): ApiError {
	const { code = 'no answer', detail, neverSent, permanent } = networkFailureOf(thrown);
	const ambiguous = endpoint.sends !== undefined && !neverSent;
	const repair = permanent ? REPAIRS.find(({ codes }) => codes.test(code)) : undefined;
	const message =
		repair?.message ?? NETWORK_WORDS.find(([codes]) => codes.test(code))?.[1] ?? UNREACHABLE.message;
	const { description } = repair ?? UNREACHABLE;
	const told = detail ? `${code}: ${detail}` : code;
	return new ApiError({
		message: ambiguous ? UNCONFIRMED.message : message,
		description: ambiguous
			? `${message} (${told}). ${UNCONFIRMED.description}`
			: `${description} Then run again (${told}).`,
		code: 'network_error',
		httpStatus: null,
		ambiguous,
		neverSent,
		permanent,
	});
}

/** What anything that was thrown says. */
export function messageOf(thrown: unknown): string {
	return thrown instanceof Error ? thrown.message : String(thrown);
}
