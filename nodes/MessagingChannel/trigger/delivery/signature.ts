import { createHmac, timingSafeEqual } from 'crypto';

/** Whether a text has the form of a signature: an HMAC-SHA256 in hex. */
export function looksLikeSignature(text: string): boolean {
	return /^[\da-f]{64}$/i.test(text);
}

/**
 * Whether the body was signed with the secret: HMAC-SHA256 over the raw bytes, in hex (API spec, "Authentication" 5).
 * The time it takes does not depend on where a wrong signature differs ("Authentication" 6).
 *
 * @param rawBody the bytes as they arrived, not parsed and written again
 * @param signature the header's value, if there was exactly one
 */
export function isSigned(rawBody: Buffer, signature: string | undefined, secret: string): boolean {
	if (secret === '' || signature === undefined || !looksLikeSignature(signature)) return false;
	const expected = createHmac('sha256', secret).update(rawBody).digest();
	return timingSafeEqual(expected, Buffer.from(signature, 'hex'));
}
