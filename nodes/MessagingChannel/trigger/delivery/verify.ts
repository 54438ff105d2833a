import { TOLERANCE_SECONDS } from '../../api/timestampTolerance';
import { eventIdOf, eventOf, readBody, single, type Headers, type ServiceEvent } from './event';
import { isSigned, looksLikeSignature } from './signature';
import { isFresh, isWholeNumber } from './timestamp';

/** A request that claims to come from the service (API spec, "Delivery request headers"). */
export interface Delivery {
	headers: Headers;
	/** The bytes as they arrived; undefined when n8n could not keep them, which is so for forms with files. */
	rawBody: Buffer | undefined;
}

/** Why a delivery is not taken. */
export interface Rejection {
	verified: false;
	status: 400 | 401 | 415;
	/** What the sender is told. */
	error:
		'invalid_signature' | 'stale_timestamp' | 'unsupported_media_type' | 'invalid_body' | 'missing_event_id';
	/** What the log says; holds nothing that the sender wrote. */
	reason: string;
	/** Another secret might make it right. */
	maybeOtherSecret?: boolean;
}

/** What a look at a delivery found. */
export type Verification = Rejection | { verified: true; event: ServiceEvent; deliveredAt: string };

/**
 * Looks whether a delivery comes from the service and was made just now. Nothing of it is looked at before the
 * signature is known to be right.
 *
 * @param secret what the service signs with; with an empty one, nothing is right
 * @param now Unix time in milliseconds
 */
export function verify({ headers, rawBody }: Delivery, secret: string, now: number): Verification {
	if (rawBody === undefined) return NOT_JSON;
	const signature = single(headers['x-service-signature']);
	if (!isSigned(rawBody, signature, secret)) return unsigned(signature, secret);

	const timestamp = single(headers['x-service-timestamp']);
	if (!isFresh(timestamp, now)) return stale(timestamp);

	if (!isJson(single(headers['content-type']))) return NOT_JSON;
	const body = readBody(rawBody);
	if (!body) {
		return rejected(400, 'invalid_body', 'its body is signed but not a JSON object in UTF-8');
	}
	const id = eventIdOf(headers);
	if (id === undefined) return rejected(400, 'missing_event_id', 'it has no usable event ID');
	return {
		verified: true,
		event: eventOf(id, headers, body),
		deliveredAt: new Date(Number(timestamp) * 1000).toISOString(),
	};
}

function rejected(
	status: Rejection['status'],
	error: Rejection['error'],
	reason: string,
	more: Partial<Rejection> = {},
): Rejection {
	return { verified: false, status, error, reason, ...more };
}

const NOT_JSON = rejected(415, 'unsupported_media_type', 'its content type is not JSON');

function unsigned(signature: string | undefined, secret: string): Rejection {
	const refuse = (reason: string, maybeOtherSecret = false) =>
		rejected(401, 'invalid_signature', reason, { maybeOtherSecret });
	if (signature === undefined) return refuse('it carries no signature');
	if (!looksLikeSignature(signature)) return refuse('its signature is not 64 hexadecimal digits');
	if (secret === '') {
		return refuse('the credential has no signing secret, so no event can be verified', true);
	}
	return refuse(
		'its signature does not match: the signing secret in the credential is wrong, or somebody else sent it',
		true,
	);
}

function stale(timestamp: string | undefined): Rejection {
	const refuse = (reason: string) => rejected(401, 'stale_timestamp', reason);
	if (timestamp === undefined) return refuse('it carries no timestamp');
	if (!isWholeNumber(timestamp)) return refuse('its timestamp is not a whole number of seconds');
	return refuse(
		`its timestamp is more than ${TOLERANCE_SECONDS} seconds off: the clock of this machine is wrong, or it was sent again by somebody else`,
	);
}

/** The spec does not list the header, so a delivery without it is no worse. */
function isJson(contentType: string | undefined): boolean {
	if (contentType === undefined) return true;
	return /^\s*application\/([\w.-]+\+)?json\s*(;|$)/i.test(contentType);
}
