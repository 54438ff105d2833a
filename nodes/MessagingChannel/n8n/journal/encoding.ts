/** What a row says of a fact: nothing, that it was begun and may have happened, or that it happened. */
export type State = 'absent' | 'open' | 'done';

/** Stands for a fact from its beginning. */
export const known = (id: string): string => `known ${id}`;

/** Stands beside it until the fact is done. */
export const open = (id: string): string => `open ${id}`;

/**
 * What a fact is about: a fact of its own, which is known only for a fact that was certainly absent, and proven as soon as it is
 * not open.
 */
export const tagged = (id: string, tag: string): string => `${id} ${tag}`;

/**
 * The keys of a fact: none is absent, `known` and `open` is open, `known` alone is done. Looking for a fact records it too, so a
 * look that is cut off leaves an open fact, which proves nothing. Each rule is a function, so that a test can switch it off.
 */
export const ENCODING = {
	/** `known` is the older key: of a full row it goes first, and `open` alone is open as well. */
	begun: (id: string): string[] => [known(id), open(id)],

	stateIn(before: ReadonlySet<string>, id: string): State {
		if (before.has(open(id))) return 'open';
		return before.has(known(id)) ? 'done' : 'absent';
	},

	/** What a beginning recorded in vain. Where `open` stood alone, `known` would now be the younger key. */
	unneededAfter(before: ReadonlySet<string>, id: string): string[] {
		if (!before.has(open(id))) return before.has(known(id)) ? [open(id)] : [];
		return before.has(known(id)) ? [] : [known(id)];
	},

	/** What a look recorded, unless it was there. */
	unneededAfterLook: (before: ReadonlySet<string>, keys: readonly string[]): string[] =>
		keys.filter((key) => !before.has(key)),

	/** What an end takes out. Where nothing was begun, there is nothing: each removal searches the row. */
	unneededAfterEnd: (before: ReadonlySet<string>, isBegunAgain: boolean, id: string): string[] =>
		isBegunAgain || before.has(known(id)) ? [open(id)] : [],

	cancelled: (id: string): string[] => [known(id), open(id)],

	/** A look at another tag that is cut off would else be taken for one that is proven. */
	tagLook: (tag: string): string[] => [known(tag), open(tag)],
};

export type Encoding = typeof ENCODING;
