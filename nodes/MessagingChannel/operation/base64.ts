/**
 * n8n's storage modes. The data of a file holds the mode instead of the content when the file is in the binary store; the ID
 * of the file begins with it.
 */
export const STORAGE_MODE = /^(default|filesystem(-v2)?|database|s3|azure)(:.*)?$/;

/**
 * Converts Base64 to the standard alphabet with padding (RFC 4648, section 4). Data URLs, line breaks, the URL-safe
 * alphabet and missing padding are accepted. A blank within a line is not: it was a plus sign that a form has changed.
 *
 * @returns undefined when the text is not Base64, or a storage mode of n8n
 */
export function base64In(text: string): string | undefined {
	if (STORAGE_MODE.test(text.trim())) return undefined;
	const content = text.replace(/^\s*data:[^,]*;base64,/i, '');
	if (/\S[^\S\r\n]+\S/.test(content)) return undefined;
	const base64 = content.replace(/\s/g, '').replaceAll('-', '+').replaceAll('_', '/');
	const digits = base64.replaceAll('=', '');
	// A pattern for the whole text would exhaust the stack on a large file.
	if (digits === '' || /[^A-Za-z\d+/]/.test(digits)) return undefined;
	const missing = (4 - (digits.length % 4)) % 4;
	const padded = digits + '='.repeat(missing);
	if (missing === 3) return undefined;
	// The given text takes no more memory.
	return base64 === padded ? base64 : base64 === digits ? padded : undefined;
}
