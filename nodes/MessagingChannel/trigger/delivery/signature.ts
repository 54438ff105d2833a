import { createHmac, timingSafeEqual } from 'crypto';

import { TOLERANCE_SECONDS } from '../../api/timestampTolerance';
import { eventIdOf, singleHeader, type Headers } from './event';

/** Whether a text has the format of a signature: an HMAC-SHA256 in hex. */
export function looksLikeSignature(text: string | undefined): text is string {
	return /^[\da-f]{64}$/i.test(String(text));
}

/**
 * Whether the body was signed with the secret: HMAC-SHA256 over the raw bytes, in hex (API spec, "Authentication" 5).
 * Compares in constant time ("Authentication" 6).
 *
 * @param rawBody the bytes as received, not parsed and serialized again
 * @param signature the value of `X-Service-Signature`, if it was sent once
 */
export function isSigned(rawBody: Buffer, signature: string | undefined, secret: string): boolean {
	if (secret === '' || !looksLikeSignature(signature)) return false;
	const expected = createHmac('sha256', secret).update(rawBody).digest();
	return timingSafeEqual(expected, Buffer.from(signature, 'hex'));
}

/** Whether a text is a Unix time in whole seconds. Other texts that `Number` accepts, such as `1e9`, are not. */
export function isWholeNumber(text: string | undefined): text is string {
	return /^\d{1,12}$/.test(String(text));
}

/**
 * Whether the timestamp of a delivery is within the tolerance (API spec, "Authentication" 6).
 *
 * @param timestamp the value of `X-Service-Timestamp`: Unix time in whole seconds
 * @param now Unix time in milliseconds
 */
export function isFresh(timestamp: string | undefined, now: number): timestamp is string {
	return isWholeNumber(timestamp) && Math.abs(now / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS;
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
		isFresh(singleHeader(headers['x-service-timestamp']), now) &&
		eventName !== undefined &&
		EVENT_NAME.test(eventName) &&
		eventIdOf(headers) !== undefined &&
		account !== undefined &&
		(typeof accountId !== 'string' || account === accountId)
	);
}
