declare module 'commonmark-spec' {
	/** A text of the specification, and what it is in HTML. In both, an arrow stands for a tab. */
	export const tests: Array<{ markdown: string; html: string; section: string; number: number }>;
}
