import type { Call } from './call';
import { codeInWords } from './systemCode';

/** What came of a call that did not succeed: words for the user, codes for a workflow to branch on. */
export interface ApiErrorFacts {
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
	neverTaken?: boolean;
}

export class ApiError extends Error implements ApiErrorFacts {
	readonly description: string;

	readonly code: string;

	readonly httpStatus: number | null;

	readonly ambiguous: boolean;

	readonly neverTaken: boolean;

	constructor(facts: ApiErrorFacts) {
		super(facts.message);
		this.name = 'ApiError';
		this.description = facts.description;
		this.code = facts.code;
		this.httpStatus = facts.httpStatus;
		this.ambiguous = facts.ambiguous ?? false;
		this.neverTaken = facts.neverTaken ?? false;
	}
}

type Words = Pick<ApiErrorFacts, 'message' | 'description'>;

const UNCONFIRMED: Words = {
	message: 'The service did not confirm the message, and it may still have been sent',
	description:
		'Do not send it again blindly. Look in the chat, or wait for its status event, before you decide.',
};

const WORDS: Record<string, (call: Call) => Words> = {
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
 * @param call what was asked
 * @param httpStatus the status of the answer
 * @param body the answer's body, of whatever shape
 */
export function errorOfAnswer(call: Call, httpStatus: number, body: unknown): ApiError {
	const { error, message: said } = isRecord(body) ? body : {};
	const fallback = CODE_OF_STATUS[httpStatus] ?? (httpStatus >= 500 ? 'internal_error' : 'unexpected_answer');
	const code = typeof error === 'string' && CODE.test(error) ? error : fallback;
	const ambiguous = call.sends !== undefined && (httpStatus >= 500 || code === 'send_timeout');
	const words = wordsFor(code, call, httpStatus, ambiguous);
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

function wordsFor(code: string, call: Call, httpStatus: number, ambiguous: boolean): Words {
	if (ambiguous) return UNCONFIRMED;
	if (call.inferred === 'endpoint' && httpStatus === 404) {
		return {
			message: 'The service has nothing at this address',
			description: `Either the ID is not one of this account's, or the service has this operation elsewhere: it does not publish '${call.method} ${call.path}', so the address is inferred. If you know the right one, enter it under Options > Endpoint Path.`,
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
		words?.(call) ?? {
			message: `The service answered '${code}' (HTTP ${httpStatus})`,
			description: 'Look the code up in the documentation of the service.',
		}
	);
}

/** So short a secret is part of ordinary words. */
const SHORTEST_SECRET = 6;

/** The error without a text that nobody may read, should the service have quoted it. */
export function withoutSecret(error: ApiError, secret: string): ApiError {
	const { code, httpStatus, ambiguous, neverTaken } = error;
	const hide = (text: string) => (secret.length < SHORTEST_SECRET ? text : text.replaceAll(secret, '***'));
	return new ApiError({
		message: hide(error.message),
		description: hide(error.description),
		code: hide(code),
		httpStatus,
		ambiguous,
		neverTaken,
	});
}

/** The error for a send that an earlier try of the same run left unconfirmed. */
export function errorOfEarlierDoubt(): ApiError {
	return new ApiError({ ...UNCONFIRMED, code: 'send_timeout', httpStatus: null, ambiguous: true });
}

/** The error for an answer that says success but is not what the API describes, such as a login page of a proxy. */
export function errorOfUnreadableAnswer(call: Call, httpStatus: number): ApiError {
	const ambiguous = call.sends !== undefined;
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
		neverTaken: true,
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
		neverTaken: true,
	});
}

const NETWORK_WORDS: Record<string, string> = {
	ECONNREFUSED: 'Nothing answers at the address of the service',
	ENOTFOUND: 'The address of the service does not exist',
	EAI_AGAIN: 'The address of the service could not be looked up',
	ECONNRESET: 'The connection to the service broke',
	EPIPE: 'The connection to the service broke',
	ETIMEDOUT: 'The service did not answer in time',
	ECONNABORTED: 'The service did not answer in time',
	ERR_BAD_RESPONSE: 'The connection to the service broke',
	CERT_HAS_EXPIRED: 'The certificate of the service has expired',
	DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate of the service is not from a known authority',
};

/** What the HTTP parser and the unpacking of compressed answers give for what they cannot read. */
const GARBLED = /^(HPE|Z)_/;

const GARBLED_WORDS = 'The address answered, but nothing that can be read';

const UNREACHABLE = 'The service could not be reached';

/** The service cannot have seen the request: no connection was made. */
const NEVER_CONNECTED = new Set([
	'ECONNREFUSED',
	'ENOTFOUND',
	'EAI_AGAIN',
	'CERT_HAS_EXPIRED',
	'DEPTH_ZERO_SELF_SIGNED_CERT',
]);

/**
 * The error for a call that got no answer.
 *
 * @param thrown what the HTTP layer threw; the system's error code stands in it or in one of its causes
 */
export function errorOfNetwork(call: Call, thrown: unknown): ApiError {
	const systemCode = systemCodeOf(thrown);
	const neverTaken = NEVER_CONNECTED.has(systemCode) || nothingWasWritten(thrown);
	const ambiguous = call.sends !== undefined && !neverTaken;
	const happened = NETWORK_WORDS[systemCode] ?? (GARBLED.test(systemCode) ? GARBLED_WORDS : UNREACHABLE);
	return new ApiError({
		message: ambiguous ? UNCONFIRMED.message : happened,
		description: ambiguous
			? `${happened} (${systemCode}). ${UNCONFIRMED.description}`
			: `Check the Base URL in the credential and the network of the machine that n8n runs on (${systemCode}), then run again.`,
		code: 'network_error',
		httpStatus: null,
		ambiguous,
		neverTaken,
	});
}

function systemCodeOf(thrown: unknown): string {
	const errors = withCauses(thrown);
	const codes = [...errors.map(({ code }) => code), ...errors.map(({ messages }) => codeInWords(messages))];
	const words = codes.filter((code) => typeof code === 'string');
	return words.find((word) => /^[A-Z_]+$/.test(word)) ?? 'no answer';
}

/** Whether the connection broke before a byte of the request went out. */
function nothingWasWritten(thrown: unknown): boolean {
	return withCauses(thrown).some(
		({ request }) => isRecord(request) && isRecord(request.socket) && request.socket.bytesWritten === 0,
	);
}

function withCauses(thrown: unknown): Array<Record<string, unknown>> {
	const errors: Array<Record<string, unknown>> = [];
	for (let error = thrown; isRecord(error) && errors.length < 5; error = error.cause) errors.push(error);
	return errors;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
