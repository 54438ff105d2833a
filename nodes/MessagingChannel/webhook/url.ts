import { parseUrl } from '../api/baseUrl';

/**
 * A URL in the one form that all its spellings share: the host in lower case and punycode, no default port, and percent-encoded
 * in capitals only what must be. A service may store it in another one.
 */
export function normalUrl(url: string): string {
	return parseUrl(url)?.href.replace(/%[\da-f]{2}/gi, normalCode) ?? url;
}

function normalCode(code: string): string {
	const character = String.fromCharCode(parseInt(code.slice(1), 16));
	return /[\w.~-]/.test(character) ? character : code.toUpperCase();
}

/** Whether two texts are one URL. */
export function areSameUrl(one: string, other: string): boolean {
	return normalUrl(one) === normalUrl(other);
}

/** Whether a URL is only the beginning of another one. */
export function isBeginningOf(url: string, whole: string): boolean {
	return !areSameUrl(url, whole) && normalUrl(whole).startsWith(normalUrl(url));
}
