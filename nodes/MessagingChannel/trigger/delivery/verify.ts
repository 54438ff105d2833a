import { TOLERANCE_SECONDS } from '../../api/timestampTolerance';
import { eventIdOf, eventOf, readBody, singleHeader, type Headers, type ServiceEvent } from './event';
import { isFresh, isSigned, isWholeNumber, looksLikeSignature } from './signature';

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
 * else is read before the signature is verified.
 *
 * @param secret the signing secret; an empty one verifies no delivery
 * @param now Unix time in milliseconds
 */
export function verify({ headers, rawBody }: Delivery, secret: string, now: number): Verification {
	if (rawBody === undefined) return NOT_JSON;
	const signature = singleHeader(headers['x-service-signature']);
	if (!isSigned(rawBody, signature, secret)) return signatureRejection(signature, secret);

	const timestamp = singleHeader(headers['x-service-timestamp']);
	if (!isFresh(timestamp, now)) return timestampRejection(timestamp);

	if (!isJson(singleHeader(headers['content-type']))) return NOT_JSON;
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

function signatureRejection(signature: string | undefined, secret: string): Rejection {
	const reject = (reason: string, maybeOtherSecret = false) =>
		rejection(401, 'invalid_signature', reason, { maybeOtherSecret });
	if (signature === undefined) return reject('it has no signature');
	if (!looksLikeSignature(signature)) return reject('its signature is not 64 hexadecimal digits');
	if (secret === '') {
		return reject('the credential has no signing secret, so no event can be verified', true);
	}
	return reject(WRONG_SIGNATURE, true);
}

function timestampRejection(timestamp: string | undefined): Rejection {
	const reject = (reason: string) => rejection(401, 'stale_timestamp', reason);
	if (timestamp === undefined) return reject('it has no timestamp');
	if (!isWholeNumber(timestamp)) return reject('its timestamp is not a whole number of seconds');
	return reject(
		`its timestamp is more than ${TOLERANCE_SECONDS} seconds off: the clock of this machine is wrong, or someone else sent the event again`,
	);
}

/** The API spec does not list Content-Type, so a delivery without it is accepted. */
function isJson(contentType: string | undefined): boolean {
	if (contentType === undefined) return true;
	return /^\s*application\/([\w.-]+\+)?json\s*(;|$)/i.test(contentType);
}
