const MAX_QUOTE_LENGTH = 500;

/** Shortens a text that an error quotes. It is cut between words, because half of a secret would not be recognized. */
export function quotable(text: string): string {
	const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
	return line.length <= MAX_QUOTE_LENGTH ? line : `${line.slice(0, MAX_QUOTE_LENGTH).replace(/\S*$/, '')}…`;
}
