import { InvalidInput, shown } from '../operation/input';

/**
 * Checks a URL for the service.
 *
 * @param protocols such as `https:`
 * @returns the URL without the spaces and line breaks around it
 * @throws InvalidInput when it is no URL, or one with another protocol
 */
export function validUrl(entered: string, protocols: readonly string[]): string {
	if (URL.canParse(entered) && protocols.includes(new URL(entered).protocol)) return entered.trim();
	throw new InvalidInput(`is not a valid URL: ${shown(entered)}`, "Enter a URL that starts with 'https://'.");
}
