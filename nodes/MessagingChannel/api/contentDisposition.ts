import { baseName } from './fileName';

/** The segments of a header. Semicolons separate them, except in quotes. */
const SEGMENTS = /(?:[^;"]|"(?:[^"\\]|\\.)*"?)+/gs;

/** A name, an equals sign and a value. A quoted value may lack its closing quote. */
const PARAMETER = /^\s*([^\s="]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)|(.*))/s;

/**
 * The file name in a Content-Disposition header, without folders (RFC 6266). The extended form takes precedence (RFC 8187).
 *
 * @param header as Node returns it: one character for each byte
 * @returns undefined when the header has no usable file name
 */
export function fileNameIn(header: unknown): string | undefined {
	if (typeof header !== 'string') return undefined;
	const parameters = parametersIn(header);
	const extended = parameters.get('filename*');
	const candidates = [
		extended && decodeExtended(extended),
		decodePlain(parameters.get('filename')),
		extended && encodedIn(extended),
	];
	return candidates.map((name) => baseName(name ?? '')).find((name) => name !== '');
}

/** The parameters by name in lower case. The first of several with the same name counts. */
function parametersIn(header: string): Map<string | undefined, string | undefined> {
	const parameters = new Map<string | undefined, string | undefined>();
	for (const [segment] of header.matchAll(SEGMENTS)) {
		const [, name, quoted, token] = PARAMETER.exec(segment) ?? [];
		const key = name?.toLowerCase();
		if (!parameters.has(key)) parameters.set(key, quoted?.replace(/\\(.)/gs, '$1') ?? token);
	}
	return parameters;
}

/** The percent-encoded value after the charset and the language (RFC 8187, section 3.2). */
function encodedIn(extended: string): string {
	return extended.split("'").slice(2).join("'");
}

/** Every charset except ISO-8859-1 is read as UTF-8, because some senders misspell its name. */
function decodeExtended(extended: string): string | undefined {
	const characters = encodedIn(extended).replace(/%([\da-f]{2})/gi, (_, hex: string) =>
		String.fromCharCode(parseInt(hex, 16)),
	);
	return /^iso-8859-1'/i.test(extended) ? characters : decodeUtf8(characters);
}

/** Raw bytes violate the standard. They are read as UTF-8 when valid, else as ISO-8859-1. */
function decodePlain(value = ''): string {
	return decodeUtf8(value) ?? value;
}

/**
 * @param characters one for each byte
 * @returns undefined when the bytes are not valid UTF-8
 */
function decodeUtf8(characters: string): string | undefined {
	const bytes = Buffer.from(characters, 'latin1');
	const text = bytes.toString('utf8');
	return Buffer.from(text).equals(bytes) ? text : undefined;
}
