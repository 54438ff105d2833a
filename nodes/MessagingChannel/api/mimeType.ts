const TOKEN = "[\\w!#$%&'*+.^`|~-]+";

const MIME_TYPE = new RegExp(`^${TOKEN}/${TOKEN}([ \\t]*;\\P{Cc}*)?$`, 'u');

/** Whether a text is a MIME type, with or without parameters (RFC 9110, section 8.3.1). */
export function isMimeType(text: string): boolean {
	return MIME_TYPE.test(text);
}
