/**
 * Reads a URL; undefined if the text is none. `URL.canParse` is not used: in Node.js 20 it refuses texts with letters such as ü as
 * soon as it has been called often.
 *
 * @param base what a relative URL is relative to
 */
export function parseUrl(text: string, base?: string | URL): URL | undefined {
	try {
		return new URL(text, base);
	} catch {
		return undefined;
	}
}
