import { API_PATH } from './baseUrl';
import type { Endpoint } from './apiRequest';
import { recordOrEmpty } from './values';
import { networkFailureOf } from './networkFailure';

/** Why a request failed: texts for the user, codes that a workflow can branch on. */
export interface ApiErrorDetails {
	/** What happened. */
	message: string;
	/** What to do. */
	description: string;
	/** The API's `error` string, or `network_error` without a response. */
	code: string;
	/** The HTTP status, or null without a response. */
	httpStatus: number | null;
	/** Whether an unconfirmed message may have been sent. */
	ambiguous?: boolean;
	/** Whether it is proven that the service did not receive the request. */
	neverSent?: boolean;
	/** Whether a retry fails until somebody has changed something. */
	permanent?: boolean;
	/** Whether the response has the code itself, so that it is not from a proxy. */
	hasOwnCode?: boolean;
}

/** A request that failed, or that could not be sent (API spec, "Errors"). */
export class ApiError extends Error implements ApiErrorDetails {
	readonly description: string;

	readonly code: string;

	readonly httpStatus: number | null;

	readonly ambiguous: boolean;

	readonly neverSent: boolean;

	readonly permanent: boolean;

	readonly hasOwnCode: boolean;

	constructor(details: ApiErrorDetails) {
		super(details.message);
		this.name = 'ApiError';
		this.description = details.description;
		this.code = details.code;
		this.httpStatus = details.httpStatus;
		this.ambiguous = details.ambiguous ?? false;
		this.neverSent = details.neverSent ?? false;
		this.permanent = details.permanent ?? false;
		this.hasOwnCode = details.hasOwnCode ?? false;
	}
}

/** The texts of an error. */
type Words = Pick<ApiErrorDetails, 'message' | 'description'>;

const UNCONFIRMED: Words = {
	message: 'The service did not confirm the message, but it may have been sent',
	description: 'Before you send it again, check the chat or wait for the status event of the message.',
};

/** The texts for the codes of the service (API spec, "Errors"). */
const WORDS_BY_CODE: Record<string, (endpoint: Endpoint) => Words> = {
	validation_error: () => ({
		message: 'The service rejected a value in this request',
		description: 'Correct the value before you run again. The same request would be rejected again.',
	}),
	account_not_connected: () => ({
		message: 'The messaging account is not connected to the channel',
		description: 'Reconnect it in the account panel, then run again.',
	}),
	invalid_api_key: () => ({
		message: 'The service rejected the API key',
		description: 'Open the credential and enter the API key from the account panel.',
	}),
	forbidden: ({ permission }) => ({
		message: `The API key lacks the permission '${permission}'`,
		description: 'Add the permission to the key in the account panel, then run again.',
	}),
	not_found: () => ({
		message: 'No record with this ID in this account',
		description: 'Check the ID. The record may have been deleted or may belong to another account.',
	}),
	rate_limit_exceeded: () => ({
		message: 'The account has reached its rate limit',
		description: 'Wait until the limit resets, then run again. Message > Get Rate Limit shows when.',
	}),
	internal_error: () => ({
		message: 'The service could not process the request',
		description: 'The fault is on the side of the service. Wait a moment, then run again.',
	}),
	send_timeout: ({ sends }) =>
		sends
			? UNCONFIRMED
			: {
					message: 'The service did not finish the request in time',
					description: 'It may still have processed the request. Check the result before you run again.',
				},
	too_many_phones: () => ({
		message: 'The list has more phone numbers than the service accepts at once',
		description: 'Split the list into smaller parts, for example with the Loop Over Items node.',
	}),
	invalid_date: () => ({
		message: "The service rejected the date in 'Scheduled At'",
		description: 'Enter a date and time in the future, e.g. 2030-01-31T09:00:00Z.',
	}),
	invalid_trigger_type: () => ({
		message: "The service does not support this 'Trigger Type'",
		description: 'Enter one of the trigger types in the account panel.',
	}),
	content_blocked: () => ({
		message: 'The service blocked the message because of its content policy',
		description: 'Change the text. Message > Validate Text checks a text without sending it.',
	}),
	no_media: () => ({
		message: 'The message does not exist or has no media',
		description: "Check the message ID. Only messages with 'has_media' set to true have a file.",
	}),
	invalid_filename: () => ({
		message: 'The service does not accept this file name',
		description: 'Enter the file name exactly as the service returned it.',
	}),
	contact_not_found: () => ({
		message: 'No contact with this phone number in this account',
		description: 'Check the number, or add the contact with Contact > Sync Numbers.',
	}),
};

/** The code of a response that has none itself. */
const CODE_BY_STATUS: Record<number, string> = {
	400: 'validation_error',
	401: 'invalid_api_key',
	403: 'forbidden',
	404: 'not_found',
	429: 'rate_limit_exceeded',
	504: 'send_timeout',
};

/** The form of the service's codes. */
const CODE = /^[\w.:-]{1,64}$/;

const MAX_QUOTE_LENGTH = 500;

/** Shortens a text for the panel. It is cut between words, because half of a secret would not be recognised. */
function onOneLine(text: string): string {
	const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
	return line.length <= MAX_QUOTE_LENGTH ? line : `${line.slice(0, MAX_QUOTE_LENGTH).replace(/\S*$/, '')}…`;
}

/**
 * The error for a response that reports a failure (API spec, "Errors").
 *
 * @param endpoint the endpoint that was called
 * @param httpStatus the status of the response
 * @param body the body of the response, of any shape
 */
export function responseError(endpoint: Endpoint, httpStatus: number, body: unknown): ApiError {
	const { error, message: said } = recordOrEmpty(body);
	const fallback = CODE_BY_STATUS[httpStatus] ?? (httpStatus >= 500 ? 'internal_error' : 'unexpected_answer');
	const hasOwnCode = typeof error === 'string' && CODE.test(error);
	const code = hasOwnCode ? error : fallback;
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
		hasOwnCode,
	});
}

function wordsFor(code: string, endpoint: Endpoint, httpStatus: number, ambiguous: boolean): Words {
	if (ambiguous) return UNCONFIRMED;
	if (endpoint.inferred === 'endpoint' && httpStatus === 404) {
		return {
			message: 'The ID or the endpoint was not found',
			description: `Check the ID. If it is right, the service has this operation at another path: '${endpoint.method} ${endpoint.path}' is undocumented, so we derived it. If you know the right path, enter it in the option 'Endpoint Path'.`,
		};
	}
	if (code === 'unexpected_answer') {
		return {
			message: `The request was rejected (HTTP ${httpStatus})`,
			description:
				'The response has no code that explains why. A proxy between n8n and the service may have responded instead.',
		};
	}
	const words = Object.hasOwn(WORDS_BY_CODE, code) ? WORDS_BY_CODE[code] : undefined;
	return (
		words?.(endpoint) ?? {
			message: `The service returned '${code}' (HTTP ${httpStatus})`,
			description: 'Look up the code in the documentation of the service.',
		}
	);
}

/** A shorter secret would also match parts of ordinary words. */
const MIN_SECRET_LENGTH = 6;

/** The error with the secret masked, in case the service quoted it. */
export function withoutSecret(error: ApiError, secret: string): ApiError {
	const { code, httpStatus, ambiguous, neverSent, permanent, hasOwnCode } = error;
	const hide = (text: string) => (secret.length < MIN_SECRET_LENGTH ? text : text.replaceAll(secret, '***'));
	return new ApiError({
		message: hide(error.message),
		description: hide(error.description),
		code: hide(code),
		httpStatus,
		ambiguous,
		neverSent,
		permanent,
		hasOwnCode,
	});
}

/** Whether the service itself says that a record does not exist. A proxy can respond 404, too. */
export function isNotFound(error: unknown): boolean {
	return error instanceof ApiError && error.hasOwnCode && error.code === 'not_found';
}

/** The error for a message that an earlier attempt left unconfirmed. */
export function unconfirmedError(): ApiError {
	return new ApiError({ ...UNCONFIRMED, code: 'send_timeout', httpStatus: null, ambiguous: true });
}

/**
 * The error for a text that is sent as several messages, of which one failed or may not have been sent.
 *
 * @param error the error of that message
 * @param sent how many messages were sent before it
 * @param total how many messages the text has
 */
export function partError(error: ApiError, sent: number, total: number): ApiError {
	const { message, code, httpStatus, ambiguous, neverSent, permanent } = error;
	const told = ambiguous
		? `${sent} of ${total} parts of the text were sent, part ${sent + 1} may have been sent, and no further part was sent.`
		: `${sent} of ${total} parts of the text were sent.`;
	const advice = ' A retry of this execution does not send them again, but a new execution does.';
	const description = `${told}${sent > 0 ? advice : ''} ${error.description}`;
	return new ApiError({ message, description, code, httpStatus, ambiguous, neverSent, permanent });
}

/** Whether the service may have carried out a request that failed, of any endpoint. */
export function mayHaveBeenMade({ ambiguous, neverSent, httpStatus, code }: ApiError): boolean {
	if (ambiguous || neverSent) return ambiguous;
	return httpStatus === null ? code === 'network_error' : httpStatus < 400 || httpStatus >= 500;
}

/** The error of something that had to succeed before a request was made. */
export function asNeverSent(error: ApiError): ApiError {
	const { message, description, code, httpStatus, permanent } = error;
	return new ApiError({ message, description, code, httpStatus, permanent, neverSent: true });
}

/** The error of a request that may have been made. */
export function asAmbiguous(error: ApiError): ApiError {
	const { message, description, code, httpStatus } = error;
	return new ApiError({ message, description, code, httpStatus, ambiguous: true });
}

/** The error for a request that an earlier execution began, and that cannot be shown to be made or not made. */
export function earlierRequestError(requestId: string): ApiError {
	return new ApiError({
		message: `The request with the ID '${onOneLine(requestId)}' may have been made before`,
		description:
			"An earlier execution began it and did not learn how it ended. It was not made again. Check whether it was made, for a message in its chat. If it was not, run this item again with another 'Request ID'.",
		code: 'send_timeout',
		httpStatus: null,
		ambiguous: true,
	});
}

/** The error for a successful status with a body that the API does not describe, such as the login page of a proxy. */
export function unreadableResponseError(endpoint: Endpoint, httpStatus: number): ApiError {
	const ambiguous = endpoint.sends !== undefined;
	const happened = 'The response is not in the format of the messaging service';
	return new ApiError({
		message: ambiguous ? UNCONFIRMED.message : happened,
		description: ambiguous
			? `${happened}. ${UNCONFIRMED.description}`
			: "Check the 'Base URL' in the credential. A proxy or firewall between n8n and the service may have responded instead.",
		code: 'unexpected_answer',
		httpStatus,
		ambiguous,
	});
}

const REDIRECTS = [301, 302, 303, 307, 308];

/** These can point to the result of the request. The others ask to repeat the request elsewhere. */
const REDIRECTS_TO_RESULTS = [302, 303];

/**
 * The error for a redirect. Redirects are not followed, because the API key would go to the other address too.
 *
 * @param location the Location header
 * @returns undefined when the status is not a redirect
 */
export function redirectError(
	endpoint: Endpoint,
	httpStatus: number,
	location: unknown,
): ApiError | undefined {
	if (!REDIRECTS.includes(httpStatus)) return undefined;
	const neverSent = !REDIRECTS_TO_RESULTS.includes(httpStatus);
	const ambiguous = endpoint.sends !== undefined && !neverSent;
	const happened = "The 'Base URL' in the credential redirects to another address";
	const target = targetOf(location);
	const description = target
		? `It redirects to ${target}. If the service is there, enter that address as the 'Base URL'. Otherwise, a proxy or firewall between n8n and the service may have responded instead.`
		: "Check the 'Base URL' in the credential. A proxy or firewall between n8n and the service may have responded instead.";
	return new ApiError({
		message: ambiguous ? UNCONFIRMED.message : happened,
		description: ambiguous ? `${happened}. ${UNCONFIRMED.description} ${description}` : description,
		code: 'unexpected_answer',
		httpStatus,
		ambiguous,
		neverSent,
		permanent: true,
	});
}

/** The error for a response whose status is neither a success nor an error. */
export function unexpectedStatusError(
	endpoint: Endpoint,
	httpStatus: number,
	{ location }: Record<string, unknown>,
): ApiError {
	return redirectError(endpoint, httpStatus, location) ?? unreadableResponseError(endpoint, httpStatus);
}

/** The base URL in a redirect's address. The rest of the address is left out, because it may hold secrets. */
function targetOf(location: unknown): string | undefined {
	const text = String(location);
	if (!/^https?:/i.test(text) || !URL.canParse(text)) return undefined;
	const { origin, pathname } = new URL(text);
	const start = pathname.indexOf(API_PATH);
	return start < 0 ? origin : origin + pathname.slice(0, start) + API_PATH;
}

/**
 * The error for a request that was not sent, because the rate limit resets too late for it.
 *
 * @param until when the rate limit resets, in Unix milliseconds
 */
export function rateLimitError(until: number): ApiError {
	return new ApiError({
		message: `The account has reached its rate limit, which resets at ${new Date(until).toISOString()}`,
		description:
			"Run again after that time, or increase the option 'Max Rate Limit Wait (Seconds)' so that the node waits.",
		code: 'rate_limit_exceeded',
		httpStatus: 429,
		neverSent: true,
	});
}

/**
 * The error for a download that stopped.
 *
 * @param idleMs how long no data arrived, in milliseconds
 */
export function stalledDownloadError(idleMs: number): ApiError {
	return new ApiError({
		message: 'The download stalled',
		description: `No data arrived for ${idleMs / 1000} seconds. Run again. If it happens again, check the proxies and firewalls between n8n and the service.`,
		code: 'network_error',
		httpStatus: null,
	});
}

/**
 * The error for a file to upload that n8n's binary store does not return in full. A request with an incomplete body does
 * not count as received (RFC 9112, section 8).
 */
export function unreadableFileError(): ApiError {
	return new ApiError({
		message: 'n8n could not read the whole file',
		description:
			"The file was not sent. It is damaged in n8n's storage or was deleted while it was read. Run the previous nodes again.",
		code: 'validation_error',
		httpStatus: null,
		neverSent: true,
		permanent: true,
	});
}

/**
 * The error for a service that asks for a longer pause (Retry-After) than the request may wait.
 *
 * @param error the error of the response
 * @param until when the pause ends, in Unix milliseconds
 */
export function retryAfterTooLongError(error: ApiError, until: number): ApiError {
	const { message, description, code, httpStatus } = error;
	const asked = `The service asked to wait until ${new Date(until).toISOString()}, which is longer than the option 'Max Rate Limit Wait (Seconds)' allows.`;
	return new ApiError({ message, description: `${description} ${asked}`, code, httpStatus });
}

/**
 * The error for a message that was not sent, because the service's queue did not get shorter.
 *
 * @param waiting how many messages wait in the queue
 */
export function queueTooLongError(waiting: number): ApiError {
	return new ApiError({
		message: "The service's queue did not get shorter for 5 minutes",
		description: `The message was not sent because ${waiting} others are waiting. Use Account > Get to check whether the account is connected. Run again when the queue is shorter, or increase the option 'Pause When Queue Above'.`,
		code: 'queue_too_long',
		httpStatus: null,
		neverSent: true,
	});
}

/** The error for a list that does not say how many records it has, so that some may be missing. */
export function missingTotalError(): ApiError {
	return new ApiError({
		message: 'The list is incomplete: the service does not say how many records it has',
		description: 'Run again. If it happens again, report this to the provider of the service.',
		code: 'unexpected_answer',
		httpStatus: null,
	});
}

/** The error for a list that got shorter each time it was read, so that some records may be missing. */
export function changingListError(): ApiError {
	return new ApiError({
		message: 'The list changed each time it was read',
		description: 'Run again when fewer records are changed.',
		code: 'unexpected_answer',
		httpStatus: null,
	});
}

/**
 * The error for a message that was not sent, because the recipients to skip are not known.
 *
 * @param tag the tag of these recipients
 * @param cause why their list could not be read
 */
export function unreadableOptOutsError(tag: string, cause: ApiError): ApiError {
	const advice =
		cause.code === 'unexpected_answer'
			? 'Run again. If it happens again, report this to the provider of the service.'
			: cause.description;
	return new ApiError({
		message: `The message was not sent, because the contacts with the tag '${tag}' could not all be read`,
		description: `${cause.message}. ${advice}`,
		code: cause.code,
		httpStatus: cause.httpStatus,
		neverSent: true,
	});
}

/** The error for a message that was not sent, because the recipients to skip have a tag that does not exist. */
export function unknownTagError(tag: string): ApiError {
	return new ApiError({
		message: `The message was not sent, because there is no tag '${tag}' in this account`,
		description:
			'Check the spelling of the tag in the options. If nobody has the tag yet, create it with Tag > Create.',
		code: 'unknown_tag',
		httpStatus: null,
		neverSent: true,
	});
}

/**
 * The error for a file whose length differs from Content-Length, so that it may be incomplete.
 *
 * @param announced the length in Content-Length, in bytes
 * @param received the length that arrived, in bytes
 */
export function fileLengthError(announced: number, received: number): ApiError {
	return new ApiError({
		message: 'The file does not have the expected length',
		description: `The service announced ${announced} bytes, but ${received} arrived. Run again. If it happens again, a proxy between n8n and the service may be compressing files although the node asks for uncompressed ones.`,
		code: 'network_error',
		httpStatus: null,
	});
}

const UNREACHABLE: Words = {
	message: 'The service could not be reached',
	description: "Check the 'Base URL' in the credential and the network of the machine that runs n8n.",
};

/** What happened, by the code of a failure that may pass. */
const NETWORK_MESSAGES: ReadonlyArray<[codes: RegExp, message: string]> = [
	[/^ECONNREFUSED$/, 'The connection to the service was refused'],
	[/^ENOTFOUND$/, 'The host name of the service does not exist'],
	[/^EAI_AGAIN$/, 'The host name of the service could not be looked up'],
	[/^(ECONNRESET|EPIPE|EPROTO|ERR_BAD_RESPONSE|ERR_SSL_.*)$/, 'The connection to the service was lost'],
	[/^(ETIMEDOUT|ECONNABORTED)$/, 'The service did not respond in time'],
	// The codes of the HTTP parser and of decompression.
	[/^(HPE|Z)_/, 'The response of the service could not be read'],
];

/** What happened and how to fix it, by the code of a permanent failure. The first match counts. */
const REPAIRS: ReadonlyArray<Words & { codes: RegExp }> = [
	{
		codes: /^CERT_HAS_EXPIRED$/,
		message: 'The certificate of the service has expired',
		description: 'Ask the provider of the service to renew it.',
	},
	{
		codes: /^CERT_NOT_YET_VALID$/,
		message: 'The certificate of the service is not valid yet',
		description:
			'Check the clock of the machine that runs n8n. If it is right, ask the provider of the service to replace the certificate.',
	},
	{
		codes: /ALTNAME|HOSTNAME/,
		message: 'The certificate of the service is for another host name',
		description:
			"Enter the host name of the certificate in the 'Base URL', or ask the provider of the service to add your host name to the certificate.",
	},
	{
		codes: /SELF_SIGNED|ISSUER|LEAF_SIGNATURE|INVALID_CA|UNTRUSTED/,
		message: 'The certificate of the service is not from a trusted authority',
		description:
			"If you trust the service, ask your n8n administrator to save the certificate of its authority in a file, set n8n's environment variable NODE_EXTRA_CA_CERTS to the path of that file, and restart n8n. If the authority is well known, an intermediate certificate is missing: ask the provider of the service to add it.",
	},
	{
		codes: /^(EPROTO|ERR_SSL_.*)$/,
		message: 'n8n and the service could not establish a secure connection',
		description:
			"Check the port in the 'Base URL', and whether the service uses 'https' or 'http'. If both are right, the service requires a TLS version or a client certificate that n8n does not have: ask the provider of the service.",
	},
	{
		codes: /^SSRF$/,
		message: 'n8n blocks the address of the service to protect internal networks',
		description:
			"If the 'Base URL' in the credential is right, ask your n8n administrator to add its host name to n8n's environment variable N8N_SSRF_ALLOWED_HOSTNAMES, or its IP address to N8N_SSRF_ALLOWED_IP_RANGES, and restart n8n.",
	},
	{
		codes: /./,
		message: 'The certificate of the service is not valid',
		description: 'Ask the provider of the service to replace it.',
	},
];

/**
 * The error for a request without a response. A message may have been sent unless it is proven that the request was not.
 *
 * @param thrown what the HTTP layer threw; the error code stands in it or in one of its causes
 */
export function networkError(endpoint: Endpoint, thrown: unknown): ApiError {
	const { code = 'no response', detail, neverSent, permanent } = networkFailureOf(thrown);
	const ambiguous = endpoint.sends !== undefined && !neverSent;
	const repair = permanent ? REPAIRS.find(({ codes }) => codes.test(code)) : undefined;
	const message =
		repair?.message ?? NETWORK_MESSAGES.find(([codes]) => codes.test(code))?.[1] ?? UNREACHABLE.message;
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

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
	return thrown instanceof Error ? thrown.message : String(thrown);
}
