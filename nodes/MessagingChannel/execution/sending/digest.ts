import { createHash } from 'node:crypto';

/** A digest that no two texts share: 43 characters, 256 bits. */
export function digestOf(text: string): string {
	return createHash('sha256').update(text).digest('base64url');
}

/** A short digest, for texts that are compared with few others: 16 characters, 96 bits. */
export function shortDigestOf(text: string): string {
	return digestOf(text).slice(0, 16);
}

/**
 * What a text has in common with its copy in the chat: the service may trim it, and write its white space and its signs
 * otherwise. Texts that differ in nothing else count as the same.
 */
export function sameTextKey(text: string): string {
	const key = text.normalize('NFKC').replace(/\s/g, '');
	return key === '' ? text : key;
}

/** Whether two texts may be one, of which the service wrote signs, emoji or capital letters otherwise, or left them out. */
export function mayBeSameText(one: string, other: string): boolean {
	return looseKey(one) === looseKey(other);
}

/** Its letters and digits. A sign may have become an entity of HTML. */
function looseKey(text: string): string {
	return text
		.normalize('NFKC')
		.replace(/&#?\w+;|[^\p{L}\p{N}]/gu, '')
		.toLowerCase();
}

/** A digest that a text shares with its copy in the chat. */
export function sameTextDigest(text: string): string {
	return shortDigestOf(sameTextKey(text));
}
