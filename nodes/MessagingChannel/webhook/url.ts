import { parseUrl } from '../api/baseUrl';

/**
 * A URL in the one form that all its spellings share: the host in lower case and punycode, and no default port. A service may
 * store it so.
 */
export function normalUrl(url: string): string {
	return parseUrl(url)?.href ?? url;
}

/** Whether two texts are one URL. */
export function areSameUrl(one: string, other: string): boolean {
	return normalUrl(one) === normalUrl(other);
}

/** Whether a URL is only the beginning of another one. */
export function isBeginningOf(url: string, whole: string): boolean {
	return !areSameUrl(url, whole) && normalUrl(whole).startsWith(normalUrl(url));
}
