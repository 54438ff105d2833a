/** How many of the first digits are told apart. */
let depth = 3;

/** What a pattern matches, as the lengths of the numbers and their first digits: `532:10`. */
type Shapes = ReadonlySet<string>;

const DIGITS = [...'0123456789'];
const EMPTY: Shapes = new Set([':0']);

const union = (...all: Shapes[]): Shapes => new Set(all.flatMap((shapes) => [...shapes]));

const oneOf = (digits: string[]): Shapes => new Set(digits.map((digit) => `${digit}:1`));

const parsed = (shape: string): [start: string, length: number] => {
	const [start = '', length] = shape.split(':');
	return [start, Number(length)];
};

function joined(first: Shapes, second: Shapes): Shapes {
	const result = new Set<string>();
	const others = [...second].map(parsed);
	const lengths = new Set(others.map(([, length]) => length));
	for (const [start, length] of [...first].map(parsed)) {
		if (start.length === depth) {
			for (const more of lengths) result.add(`${start}:${length + more}`);
			continue;
		}
		for (const [further, more] of others) result.add(`${(start + further).slice(0, depth)}:${length + more}`);
	}
	return result;
}

function repeated(shapes: Shapes, least: number, most: number): Shapes {
	let times = EMPTY;
	let result: Shapes = least === 0 ? EMPTY : new Set();
	for (let count = 1; count <= most; count++) {
		times = joined(times, shapes);
		if (count >= least) result = union(result, times);
	}
	return result;
}

/** Reads the parts of libphonenumber's patterns: digits, `\d`, classes, groups, alternatives, `?`, `{2}` and `{2,5}`. */
function shapesOf(pattern: string): Shapes {
	let rest = pattern;
	const take = (expression: RegExp): RegExpExecArray | undefined => {
		const found = expression.exec(rest) ?? undefined;
		rest = rest.slice(found?.[0].length ?? 0);
		return found;
	};
	const alternatives = (): Shapes => {
		const all = [sequence()];
		while (take(/^\|/)) all.push(sequence());
		return union(...all);
	};
	const sequence = (): Shapes => {
		let result = EMPTY;
		while (rest !== '' && !/^[|)]/.test(rest)) result = joined(result, quantified(atom()));
		return result;
	};
	const atom = (): Shapes => {
		if (take(/^\(\?:/)) {
			const inner = alternatives();
			take(/^\)/);
			return inner;
		}
		const [text] = take(/^(\\d|\[[\d-]+\]|\d)/) ?? [];
		if (text === undefined) throw new Error(`Unknown pattern: ${rest}`);
		return oneOf(DIGITS.filter((digit) => new RegExp(text).test(digit)));
	};
	const quantified = (shapes: Shapes): Shapes => {
		if (take(/^\?/)) return repeated(shapes, 0, 1);
		const [, least, most = least] = take(/^\{(\d+)(?:,(\d+))?\}/) ?? [];
		return least === undefined ? shapes : repeated(shapes, Number(least), Number(most));
	};
	return alternatives();
}

/** Digits in ascending order as in a class of a regular expression, without its brackets. */
function rangesOf(digits: string): string {
	const runs: string[] = [];
	for (const digit of digits) {
		const run = runs.at(-1) ?? '';
		if (Number(run.at(-1)) + 1 === Number(digit)) runs[runs.length - 1] = run + digit;
		else runs.push(digit);
	}
	return runs.map((run) => (run.length > 2 ? `${run[0]}-${run.at(-1)}` : run)).join('');
}

/** A regular expression for the starts, all of one length; empty if it is any digit from there on. */
function expressionOf(starts: readonly string[]): string {
	if (starts.length === 0 || starts.length === 10 ** (starts[0]?.length ?? 0)) return '';
	const byRest = new Map<string, string>();
	for (const digit of DIGITS) {
		const own = starts.filter((start) => start.startsWith(digit)).map((start) => start.slice(1));
		if (own.length === 0) continue;
		const rest = expressionOf(own);
		byRest.set(rest, (byRest.get(rest) ?? '') + digit);
	}
	const parts = [...byRest].map(
		([rest, digits]) => (digits.length > 1 ? `[${rangesOf(digits)}]` : digits) + rest,
	);
	return parts.length > 1 ? `(${parts.join('|')})` : (parts[0] ?? '');
}

/**
 * How the numbers that the patterns match begin, by the length of the numbers.
 *
 * @param digits how many of the first digits are told apart
 * @param without patterns of numbers that are left out
 * @returns lengths and a regular expression for the first digits, such as `9,10:(6[1-5]|97)`, separated by spaces
 */
export function leadingDigits(
	patterns: readonly string[],
	digits: number,
	without: readonly string[] = [],
): string {
	depth = digits;
	const leftOut = union(...without.map(shapesOf));
	const all = [...union(...patterns.map(shapesOf))].filter((shape) => !leftOut.has(shape)).map(parsed);
	const lengthsByExpression = new Map<string, number[]>();
	for (const length of [...new Set(all.map(([, own]) => own))].sort((one, other) => one - other)) {
		const starts = all.filter(([, own]) => own === length).map(([start]) => start);
		const expression = expressionOf(starts.sort());
		lengthsByExpression.set(expression, [...(lengthsByExpression.get(expression) ?? []), length]);
	}
	return [...lengthsByExpression].map(([expression, lengths]) => `${lengths.join()}:${expression}`).join(' ');
}
