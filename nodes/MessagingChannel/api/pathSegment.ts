/**
 * Whether a text can be one segment of a path. URL parsers resolve dot segments even when encoded. Half a character (a lone
 * surrogate), which remains when a text is cut inside an emoji, cannot be encoded.
 */
export function isPathSegment(text: string): boolean {
	return !/^\.{0,2}$|\p{Cs}/u.test(text);
}
