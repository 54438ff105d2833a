import { createHmac, timingSafeEqual } from 'crypto';

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
