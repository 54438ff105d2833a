import { shortDigestOf } from './digest';

/**
 * What a text has in common with its copy in the chat: the service may trim it, and write its white space and its signs
 * otherwise. Texts that differ in nothing else count as the same.
 */
export function sameTextKey(text: string): string {
	const key = text.normalize('NFKC').replace(/\s/g, '');
	return key === '' ? text : key;
}

/** A digest that a text shares with its copy in the chat. */
export function sameTextDigest(text: string): string {
	return shortDigestOf(sameTextKey(text));
}
