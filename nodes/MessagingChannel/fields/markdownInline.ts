/** A mark of the channel, on both sides of the text that it applies to. */
type Mark = '*' | '_' | '~';

/** A run of `*`, `_` or `~`, which opens or closes marks. What matches no other run stays as text. */
interface Run {
	character: string;
	/** The number of characters in the text. */
	length: number;
	/** How many of them have not matched. */
	unmatched: number;
	canOpen: boolean;
	canClose: boolean;
	/** The position in the text, which orders the runs. */
	position: number;
	/** The marks that it closes and opens, the inner ones first. */
	closes: Mark[];
	opens: Mark[];
}

/** Text that stays as it is; code also keeps its spaces and line breaks. */
interface Text {
	text: string;
	isCode?: true;
}

/** Parentheses that may hold the address of a link. */
interface Parenthesis {
	end: number;
	/** Where the first white space in it is; undefined without one. */
	space?: number;
}

/** A `[` that may begin a link. */
interface Bracket {
	token: Text;
	/** Where its text begins. */
	start: number;
	/** How many runs are in front of it. */
	runsBefore: number;
}

const WEB_ADDRESS = /(?:https?:\/\/|www\.)[^\s<>`[\]]+/iy;

const AUTOLINK = /<([a-z][a-z\d+.-]{1,31}:[^\s<>]*|[^\s<>@]+@[^\s<>@]+)>/iy;

const RUN = /\*+|_+|~+/y;

const ESCAPE = /\\([!-/:-@[-`{-~])/y;

/** Continues a sentence rather than the address before it. */
const PUNCTUATION_AFTER_ADDRESS = '?!.,:;*_~\'"';

/**
 * Converts the Markdown within a paragraph to the marks of the channel. Marks end before a line break and begin again after
 * it. The time is proportional to the length of the text.
 *
 * @param isBold whether the whole text becomes bold
 */
export function convertInline(text: string, isBold: boolean): string {
	const tokens: Array<Text | Run> = [];
	const runs: Run[] = [];
	const brackets: Bracket[] = [];
	const codeEnds = codeEndsIn(text);
	const parentheses = parenthesesIn(text);
	let textStart = 0;
	let position = 0;

	/** Ends the text before the current position, and continues after the characters that the token stands for. */
	const add = <T extends Text | Run>(token: T, length: number): T => {
		tokens.push({ text: text.slice(textStart, position) }, token);
		position += length;
		textStart = position;
		return token;
	};

	const matchHere = (pattern: RegExp): RegExpExecArray | null => {
		pattern.lastIndex = position;
		return pattern.exec(text);
	};

	const endBracket = (): void => {
		const bracket = brackets.pop();
		const parenthesis = parentheses.get(position + 1);
		const address = parenthesis && addressIn(text, position + 2, parenthesis);
		if (!bracket || !parenthesis || !address) {
			position++;
			return;
		}
		const label = text.slice(bracket.start, position);
		matchRuns(runs.splice(bracket.runsBefore));
		bracket.token.text = '';
		const shown = label.trim() === '' ? address : label === address ? '' : ` (${address})`;
		add({ text: shown }, parenthesis.end + 1 - position);
	};

	/** Adds what the pattern captures here, in place of the whole match. */
	const addCaptured = (pattern: RegExp): void => {
		const [matched, captured = ''] = matchHere(pattern) ?? [];
		if (matched === undefined) position++;
		else add({ text: captured }, matched.length);
	};

	while (position < text.length) {
		const character = text.charAt(position);
		if (character === '`') {
			const end = codeEnds.get(position);
			if (end === undefined) position += backticksAt(text, position);
			else add({ text: text.slice(position, end), isCode: true }, end - position);
		} else if (character === '\\') {
			// A backslash at the end of a line only says that the line ends there.
			if (text[position + 1] === '\n') add({ text: '' }, 1);
			else addCaptured(ESCAPE);
		} else if (character === '[' || (character === '!' && text[position + 1] === '[')) {
			const length = character === '[' ? 1 : 2;
			const token = add({ text: text.slice(position, position + length) }, length);
			brackets.push({ token, start: position, runsBefore: runs.length });
		} else if (character === ']') {
			endBracket();
		} else if (character === '<') {
			addCaptured(AUTOLINK);
		} else if (/[*_~]/.test(character)) {
			const length = matchHere(RUN)?.[0].length ?? 1;
			runs.push(add(runAt(text, position, length), length));
		} else if (/[hw]/i.test(character) && !/[\p{L}\p{N}]/u.test(text[position - 1] ?? '')) {
			const [address] = matchHere(WEB_ADDRESS) ?? [];
			position += address === undefined ? 1 : addressLengthOf(address);
		} else {
			position++;
		}
	}
	add({ text: '' }, 0);
	matchRuns(runs);
	return rendered(tokens, isBold);
}

/** Where each code span ends, by the position of its first backtick. As many backticks as began it end it. */
function codeEndsIn(text: string): Map<number, number> {
	const ends = new Map<number, number>();
	const nextByLength = new Map<number, number>();
	for (const { 0: run, index } of [...text.matchAll(/`+/g)].reverse()) {
		const next = nextByLength.get(run.length);
		if (next !== undefined) ends.set(index, next + run.length);
		nextByLength.set(run.length, index);
	}
	return ends;
}

function backticksAt(text: string, start: number): number {
	let end = start;
	while (text[end] === '`') end++;
	return end - start;
}

/** The pairs of parentheses, by the position of the first one. */
function parenthesesIn(text: string): Map<number, Parenthesis> {
	const pairs = new Map<number, Parenthesis>();
	const open: Array<{ start: number; space?: number }> = [];
	for (const { 0: character, index } of text.matchAll(/[()\s]/g)) {
		if (character === '(') {
			open.push({ start: index });
		} else if (character === ')') {
			const last = open.pop();
			if (last) pairs.set(last.start, { end: index, space: last.space });
		} else {
			// All outer ones have a space already once the inner one has.
			for (let at = open.length - 1; at >= 0 && open[at]?.space === undefined; at--) {
				open[at] = { ...open[at], space: index } as (typeof open)[number];
			}
		}
	}
	return pairs;
}

/** The address in the parentheses of a link; undefined if they hold something else than an address and its title. */
function addressIn(text: string, start: number, { end, space }: Parenthesis): string | undefined {
	if (space !== undefined) {
		const quote = text.charAt(space + 1);
		if (!/["']/.test(quote) || text[end - 1] !== quote) return undefined;
	}
	const address = text.slice(start, space ?? end);
	return address.startsWith('<') && address.endsWith('>') ? address.slice(1, -1) : address;
}

/** The length of an address in running text, without the punctuation and the closing parentheses after it. */
function addressLengthOf(matched: string): number {
	let unclosed = 0;
	for (const character of matched) unclosed += character === '(' ? 1 : character === ')' ? -1 : 0;
	let { length } = matched;
	for (;;) {
		const last = matched.charAt(length - 1);
		if (last === ')' && unclosed < 0) unclosed++;
		else if (!PUNCTUATION_AFTER_ADDRESS.includes(last)) return length;
		length--;
	}
}

/**
 * The run at a position, with the rules of CommonMark on what it can open and close, but for two. A single asterisk in a word
 * stays, because it is a multiplication sign: `2*3*4`. Two of them apply beside punctuation too, as in languages without spaces.
 */
function runAt(text: string, position: number, length: number): Run {
	const character = text.charAt(position);
	const before = classOf(characterBefore(text, position));
	const after = classOf(String.fromCodePoint(text.codePointAt(position + length) ?? 32));
	const isStrong = character === '*' && length > 1;
	const isLeft = after !== 'space' && (isStrong || after === 'letter' || before !== 'letter');
	const isRight = before !== 'space' && (isStrong || before === 'letter' || after !== 'letter');
	const isInWord = before === 'letter' && after === 'letter' && length === 1;
	const isMark = !isInWord && (character !== '~' || length <= 2);
	return {
		character,
		length,
		unmatched: length,
		canOpen: isMark && isLeft && (character !== '_' || !isRight || before === 'punctuation'),
		canClose: isMark && isRight && (character !== '_' || !isLeft || after === 'punctuation'),
		position,
		closes: [],
		opens: [],
	};
}

function characterBefore(text: string, position: number): string {
	const isPair = /[\uDC00-\uDFFF]/.test(text.charAt(position - 1));
	return text.slice(Math.max(0, position - (isPair ? 2 : 1)), position) || ' ';
}

function classOf(character: string): 'space' | 'punctuation' | 'letter' {
	if (/\s/.test(character)) return 'space';
	return /[\p{P}\p{S}]/u.test(character) ? 'punctuation' : 'letter';
}

/** Finds the runs that belong together: the delimiter algorithm of CommonMark. */
function matchRuns(runs: readonly Run[]): void {
	const openers: Run[] = [];
	/** The position up to which no opener matches a run, by what decides whether one matches. */
	const searchedUpTo = new Map<string, number>();
	for (const run of runs) {
		const kind = `${run.character} ${run.canOpen} ${run.length % 3}`;
		while (run.canClose && run.unmatched > 0) {
			const index = openerFor(run, openers, searchedUpTo.get(kind) ?? -1);
			const opener = openers[index];
			if (!opener) {
				searchedUpTo.set(kind, openers.at(-1)?.position ?? -1);
				break;
			}
			// The runs between the two stay as text.
			openers.length = index + 1;
			match(opener, run);
			if (opener.unmatched === 0) openers.pop();
		}
		if (run.canOpen && run.unmatched > 0) openers.push(run);
	}
}

function openerFor(closer: Run, openers: readonly Run[], searchedUpTo: number): number {
	for (let index = openers.length - 1; index >= 0; index--) {
		const opener = openers[index] as Run;
		if (opener.position <= searchedUpTo) return -1;
		if (canMatch(opener, closer)) return index;
	}
	return -1;
}

function canMatch(opener: Run, closer: Run): boolean {
	if (opener.character !== closer.character) return false;
	if (opener.character === '~') return opener.length === closer.length;
	const isEither = opener.canClose || closer.canOpen;
	// Where the sum is a multiple of 3, both are if one of them is.
	return !isEither || (opener.length + closer.length) % 3 !== 0 || opener.length % 3 === 0;
}

function match(opener: Run, closer: Run): void {
	const isDouble = opener.unmatched >= 2 && closer.unmatched >= 2;
	const mark = opener.character === '~' ? '~' : isDouble ? '*' : '_';
	opener.opens.push(mark);
	closer.closes.push(mark);
	const used = isDouble ? 2 : 1;
	opener.unmatched -= used;
	closer.unmatched -= used;
}

/** The text with the marks of the channel. A mark within the same mark is left out. */
function rendered(tokens: ReadonlyArray<Text | Run>, isBold: boolean): string {
	let output = '';
	const open: Mark[] = [];
	const depth: Record<Mark, number> = { '*': 0, _: 0, '~': 0 };

	const begin = (mark: Mark): void => {
		if (depth[mark]++ > 0) return;
		open.push(mark);
		output += mark;
	};
	const end = (mark: Mark): void => {
		if (--depth[mark] > 0) return;
		open.pop();
		output += mark;
	};
	const write = (text: string): void => {
		if (open.length === 0) {
			output += text;
			return;
		}
		const lines = text.split('\n');
		output += lines
			.map((line, index) => {
				const started = index === 0 ? line : open.join('') + line.trimStart();
				return index === lines.length - 1 ? started : started.trimEnd() + open.toReversed().join('');
			})
			.join('\n');
	};

	if (isBold) begin('*');
	for (const token of tokens) {
		if ('text' in token) {
			if (token.isCode) output += token.text;
			else write(token.text);
			continue;
		}
		token.closes.forEach(end);
		write(token.character.repeat(token.unmatched));
		token.opens.toReversed().forEach(begin);
	}
	if (isBold) end('*');
	return output;
}
