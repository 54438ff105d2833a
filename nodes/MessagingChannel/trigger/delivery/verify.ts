import { createHmac, timingSafeEqual } from 'crypto';

import { TOLERANCE_SECONDS } from '../../api/timestampTolerance';
import { eventIdOf, eventOf, readBody, singleHeader, type Headers, type ServiceEvent } from './event';

/** A request that claims to come from the service (API spec, "Delivery request headers"). */
export interface Delivery {
	headers: Headers;
	/** The raw bytes; undefined for multipart forms, of which n8n keeps none. */
	rawBody: Buffer | undefined;
}

/** Why a delivery is rejected. */
export interface Rejection {
	verified: false;
	status: 400 | 401 | 415;
	/** The error code in the response. */
	error:
		'invalid_signature' | 'stale_timestamp' | 'unsupported_media_type' | 'invalid_body' | 'missing_event_id';
	/** The reason for the log; contains nothing from the request. */
	reason: string;
	/** Whether another secret could verify the delivery. */
	maybeOtherSecret?: boolean;
}

/** The reason that a wrong signing secret gives. */
export const WRONG_SIGNATURE =
	'its signature does not match: the signing secret in the credential is wrong, or someone else sent it';

/** The result of verifying a delivery. */
export type Verification =
	Rejection | { verified: true; event: ServiceEvent; deliveredAt: string; rawBody: Buffer };

/**
 * Verifies the signature and the timestamp of a delivery, then parses it (API spec, "Authentication" 5 and 6). Nothing
 * of the body is read before the signature is verified.
 *
 * @param secret the signing secret; an empty one verifies no delivery
 * @param now Unix time in milliseconds
 */
export function verify({ headers, rawBody }: Delivery, secret: string, now: number): Verification {
	if (rawBody === undefined) return NOT_JSON;
	const signature = singleHeader(headers['x-service-signature']);
	const timestamp = singleHeader(headers['x-service-timestamp']);
	const contentType = singleHeader(headers['content-type']);
	const problem = signatureProblem(rawBody, signature, secret) ?? timestampProblem(timestamp, now);
	if (problem) return problem;
	if (!isJson(contentType)) return NOT_JSON;
	const body = readBody(rawBody);
	if (!body) {
		return rejection(
			400,
			'invalid_body',
			'its signature is valid, but its body is not a JSON object in UTF-8',
		);
	}
	const id = eventIdOf(headers);
	if (id === undefined) return rejection(400, 'missing_event_id', 'it has no valid event ID');
	return {
		verified: true,
		event: eventOf(id, headers, body),
		deliveredAt: new Date(Number(timestamp) * 1000).toISOString(),
		rawBody,
	};
}

function rejection(
	status: Rejection['status'],
	error: Rejection['error'],
	reason: string,
	details: Partial<Rejection> = {},
): Rejection {
	return { verified: false, status, error, reason, ...details };
}

const NOT_JSON = rejection(415, 'unsupported_media_type', 'its content type is not JSON');

/**
 * Why the body was not signed with the secret: HMAC-SHA256 over the raw bytes, in hex (API spec, "Authentication" 5). Compares in
 * constant time ("Authentication" 6).
 */
function signatureProblem(
	rawBody: Buffer,
	signature: string | undefined,
	secret: string,
): Rejection | undefined {
	const reject = (reason: string, maybeOtherSecret = false) =>
		rejection(401, 'invalid_signature', reason, { maybeOtherSecret });
	if (signature === undefined) return reject('it has no signature');
	if (!looksLikeSignature(signature)) return reject('its signature is not 64 hexadecimal digits');
	if (secret === '') {
		return reject('the credential has no signing secret, so no event can be verified', true);
	}
	const expected = createHmac('sha256', secret).update(rawBody).digest();
	return timingSafeEqual(expected, Buffer.from(signature, 'hex')) ? undefined : reject(WRONG_SIGNATURE, true);
}

/** Why the timestamp, a Unix time in whole seconds, is not within the tolerance (API spec, "Authentication" 6). */
function timestampProblem(timestamp: string | undefined, now: number): Rejection | undefined {
	const reject = (reason: string) => rejection(401, 'stale_timestamp', reason);
	if (timestamp === undefined) return reject('it has no timestamp');
	// `Number` accepts other texts, such as `1e9`.
	if (!/^\d{1,12}$/.test(timestamp)) return reject('its timestamp is not a whole number of seconds');
	if (Math.abs(now / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS) return undefined;
	return reject(
		`its timestamp is more than ${TOLERANCE_SECONDS} seconds off: the clock of this machine is wrong, or someone else sent the event again`,
	);
}

/** The API spec does not list Content-Type, so a delivery without it is accepted. */
function isJson(contentType: string | undefined): boolean {
	if (contentType === undefined) return true;
	return /^\s*application\/([\w.-]+\+)?json\s*(;|$)/i.test(contentType);
}

/** Whether a text has the format of a signature: an HMAC-SHA256 in hex. */
function looksLikeSignature(text: string | undefined): boolean {
	return /^[\da-f]{64}$/i.test(String(text));
}

/** Event names are short words with dots. The service can add new ones (API spec, "Versioning" 3). */
const EVENT_NAME = /^[\w.-]{1,64}$/;

/**
 * Whether an unverified delivery has all headers of the service (API spec, "Delivery request headers"). The body is not
 * read. Anybody who knows the account ID can forge these headers.
 *
 * @param accountId the account ID of the trigger, if known
 * @param now Unix time in milliseconds
 */
export function hasServiceHeaders(headers: Headers, accountId: unknown, now: number): boolean {
	const account = singleHeader(headers['x-service-account-id']);
	const eventName = singleHeader(headers['x-service-event']);
	return (
		looksLikeSignature(singleHeader(headers['x-service-signature'])) &&
		timestampProblem(singleHeader(headers['x-service-timestamp']), now) === undefined &&
		eventName !== undefined &&
		EVENT_NAME.test(eventName) &&
		eventIdOf(headers) !== undefined &&
		account !== undefined &&
		(typeof accountId !== 'string' || account === accountId)
	);
}
