import map from 'lodash/map';

/** One line of the table: a figure of this package beside that of something else. */
export interface Row {
	/** What was measured, in which circumstances. */
	what: string;
	ours: number;
	/** What it stands beside: another node, the floor, or a limit. */
	against: string;
	theirs: number;
	unit: 's' | 'ms' | 'MB' | 'kB' | '/s' | 'items';
	/** The ratio that is wanted. */
	reach?: Reach;
}

type Reach = { atMost: number } | { atLeast: number };

/** How much is measured. */
export interface Scale {
	/** Just enough to see that the benchmark runs. */
	isTiny: boolean;
	/** How often each contestant is measured. */
	rounds: number;
}

/** A group of measurements that share what they need. */
export interface Suite {
	name: string;
	title: string;
	/** How it was measured, for the reader of the table. */
	how: string;
	run(scale: Scale): Promise<Row[]>;
}

/** The medians of a contestant's figures. */
export type Medians<Figure extends string> = Record<Figure, number>;

/** The share of values that are at most the result: 0.5 for the median. */
export function quantile(values: number[], share: number): number {
	const sorted = [...values].sort((one, other) => one - other);
	return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

/** Measures contestants in turn, so that what else the machine does falls on all; each round begins with another. */
export async function interleaved<Figure extends string>(
	{ rounds, isTiny }: Scale,
	contestants: Record<string, () => Promise<Medians<Figure>>>,
	warmUps = 1,
): Promise<Record<string, Medians<Figure>>> {
	const all = Object.keys(contestants).map((name) => ({ name, measured: [] as Array<Medians<Figure>> }));
	for (let round = isTiny ? 0 : -warmUps; round < rounds; round++) {
		const first = (round + warmUps) % all.length;
		for (const { name, measured } of [...all.slice(first), ...all.slice(0, first)]) {
			const figures = await contestants[name]?.();
			if (figures && round >= 0) measured.push(figures);
		}
	}
	return Object.fromEntries(
		all.map(({ name, measured }) => {
			const figures = Object.keys(measured[0] ?? {}) as Figure[];
			const median = (figure: Figure) => quantile(map(measured, figure), 0.5);
			return [name, Object.fromEntries(figures.map((figure) => [figure, median(figure)])) as Medians<Figure>];
		}),
	);
}

/** The row of one contestant beside each of the others. */
export function rowsOf<Figure extends string>(
	what: string,
	unit: Row['unit'],
	medians: Record<string, Medians<Figure>>,
	figure: Figure,
	ours: string,
	reaches: Record<string, Reach> = {},
): Row[] {
	const own = medians[ours]?.[figure] ?? NaN;
	return Object.entries(medians)
		.filter(([name]) => name !== ours)
		.map(([against, theirs]) => ({
			what,
			unit,
			ours: own,
			against,
			theirs: theirs[figure],
			...(reaches[against] && { reach: reaches[against] }),
		}));
}
