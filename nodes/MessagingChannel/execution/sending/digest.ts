import { createHash } from 'node:crypto';

/** A digest that no two texts share: 43 characters, 256 bits. */
export function digestOf(text: string): string {
	return createHash('sha256').update(text).digest('base64url');
}

/** A short digest, for texts that are compared with few others: 16 characters, 96 bits. */
export function shortDigestOf(text: string): string {
	return digestOf(text).slice(0, 16);
}
