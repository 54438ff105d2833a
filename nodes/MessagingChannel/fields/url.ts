import { InvalidInput, shown } from '../operation/input';
import { parseUrl } from '../api/baseUrl';

/**
 * Checks a URL for the service.
 *
 * @param protocols such as `https:`
 * @returns the URL without the spaces and line breaks around it
 * @throws InvalidInput when it is no URL, or one with another protocol
 */
export function validUrl(entered: string, protocols: readonly string[]): string {
	const url = entered.trim();
	// A browser would take 'https:example.com' and line breaks, too.
	const isWhole = /^[a-z]+:\/\/[^/\s][^\r\n\t]*$/i.test(url);
	if (isWhole && protocols.includes(parseUrl(url)?.protocol ?? '')) return url;
	const starts = protocols.map((protocol) => `'${protocol}//'`).join(' or ');
	throw new InvalidInput(`is not a valid URL: ${shown(entered)}`, `Enter a URL that starts with ${starts}.`);
}
