/** What a pattern matches, as the lengths of the numbers and their first two digits: `53:10`. */
type Shapes = ReadonlySet<string>;

const DIGITS = [...'0123456789'];
const EMPTY: Shapes = new Set([':0']);

const union = (...all: Shapes[]): Shapes => new Set(all.flatMap((shapes) => [...shapes]));

const oneOf = (digits: string[]): Shapes => new Set(digits.map((digit) => `${digit}:1`));

function joined(first: Shapes, second: Shapes): Shapes {
	const result = new Set<string>();
	for (const one of first) {
		const [start = '', length] = one.split(':');
		for (const other of second) {
			const [further = '', more] = other.split(':');
			result.add(`${(start + further).slice(0, 2)}:${Number(length) + Number(more)}`);
		}
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
		let result = sequence();
		while (take(/^\|/)) result = union(result, sequence());
		return result;
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

/**
 * The first one or two digits of the numbers that the patterns match, by the length of the numbers.
 *
 * @returns the digits separated by spaces
 */
export function leadingDigits(patterns: string[]): Record<number, string> {
	const all = [...union(...patterns.map(shapesOf))].map((shape) => shape.split(':'));
	const lengths = [...new Set(all.map(([, length]) => Number(length)))].sort((one, other) => one - other);
	return Object.fromEntries(
		lengths.map((length) => {
			const starts = new Set(all.filter(([, own]) => Number(own) === length).map(([start = '']) => start));
			const texts = DIGITS.flatMap((first) => {
				const own = DIGITS.map((second) => first + second).filter((start) => starts.has(start));
				return own.length === DIGITS.length ? [first] : own;
			});
			return [length, texts.join(' ')];
		}),
	);
}
