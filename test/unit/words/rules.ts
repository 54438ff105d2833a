/** Words that stay small in Title Case, unless they come first; n8n writes its own name so. */
const SMALL = new Set('a an and as at by for if in n8n of on or per than the to via with'.split(' '));

/** A label such as `Put Output File in Field`. */
export const isTitleCase = (text: string): boolean =>
	text.split(' ').every((word, index) => /^[^\p{Ll}]/u.test(word) || (index > 0 && SMALL.has(word)));

/** A sentence begins with a capital or a number. */
export const startsASentence = (text: string): boolean => /^[\p{Lu}\p{N}]/u.test(text);

/** A single sentence has no full stop; of several, each ends with one. */
export const endsProperly = (text: string): boolean => {
	const isSeveral = /[.?!] [\p{Lu}\p{N}{]/u.test(text.replaceAll('e.g. ', ''));
	return isSeveral === text.endsWith('.');
};
