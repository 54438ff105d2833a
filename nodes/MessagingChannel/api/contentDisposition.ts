/** The segments between the semicolons of a header, except those in quotes. */
const SEGMENTS = /(?:[^;"]|"(?:[^"\\]|\\.)*"?)+/gs;

/** A name before an equals sign, and what follows it. A quoted value may lack its end. */
const PARAMETER = /^\s*([^\s="]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)|(.*))/s;

/**
 * The file name in a Content-Disposition header, its extended form first (RFC 6266, RFC 8187), without any folders.
 *
 * @param header as Node gives it: one character for each byte
 * @returns undefined when there is none, or none that a file can have
 */
export function fileNameIn(header: unknown): string | undefined {
	const parameters = parametersIn(typeof header === 'string' ? header : '');
	// RFC 8187, section 3.2: charset, language, and percent-encoded value.
	const [, charset = '', encoded = ''] =
		/^([^']*)'[^']*'(.*)$/s.exec(parameters.get('filename*') ?? '') ?? [];
	const candidates = [decodeExtended(encoded, charset), decodePlain(parameters.get('filename')), encoded];
	return candidates.map((name) => baseName(name ?? '')).find((name) => name !== '');
}

/** The parameters by their names in lower case. Of those that are given twice, the first counts. */
function parametersIn(header: string): Map<string, string> {
	const parameters = new Map<string, string>();
	for (const [segment] of header.matchAll(SEGMENTS)) {
		const [, name = '', quoted, token = ''] = PARAMETER.exec(segment) ?? [];
		const key = name.toLowerCase();
		if (!parameters.has(key)) parameters.set(key, quoted?.replace(/\\(.)/gs, '$1') ?? token);
	}
	return parameters;
}

/** Every charset but ISO-8859-1 counts as UTF-8: not every sender spells it right. */
function decodeExtended(value: string, charset: string): string | undefined {
	const characters = value.replace(/%([\da-f]{2})/gi, (_, hex: string) =>
		String.fromCharCode(parseInt(hex, 16)),
	);
	return /^iso-8859-1$/i.test(charset) ? characters : decodeUtf8(characters);
}

/** Raw bytes are against the rules. They are UTF-8 when they can be, else ISO-8859-1. */
function decodePlain(value = ''): string {
	return decodeUtf8(value) ?? value;
}

/** @param characters one for each byte */
function decodeUtf8(characters: string): string | undefined {
	const bytes = Buffer.from(characters, 'latin1');
	const text = bytes.toString('utf8');
	return Buffer.from(text, 'utf8').equals(bytes) ? text : undefined;
}

/** The name without folders and control characters; empty when it names a folder. */
function baseName(name: string): string {
	const base = (name.split(/[/\\]/).pop() ?? '').replace(/\p{Cc}/gu, '').trim();
	return /^\.*$/.test(base) ? '' : base;
}
