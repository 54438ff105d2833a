import { median } from './median';

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
	reach?: { atMost: number } | { atLeast: number };
}

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

/** The figures of each contestant, in the order of the rounds. */
export type Figures = ReadonlyMap<string, number[]>;

/**
 * Measures contestants in turn, so that what else the machine does falls on all of them; each round begins with another.
 *
 * @param warmUps rounds that do not count
 */
export async function interleaved(
	rounds: number,
	contestants: ReadonlyMap<string, () => Promise<number>>,
	warmUps = 0,
): Promise<Figures> {
	const figures = new Map<string, number[]>([...contestants.keys()].map((name) => [name, []]));
	for (let round = -warmUps; round < rounds; round++) {
		const inOrder = [...contestants];
		const first = (round + warmUps) % inOrder.length;
		for (const [name, measure] of [...inOrder.slice(first), ...inOrder.slice(0, first)]) {
			const figure = await measure();
			if (round >= 0) figures.get(name)?.push(figure);
		}
	}
	return figures;
}

/** The median of a contestant. */
export const middle = (figures: Figures, name: string): number => median(figures.get(name) ?? []);

/** One contestant's row for each of the others. */
export function rowsOf(
	what: string,
	unit: Row['unit'],
	figures: Figures,
	ours: string,
	reaches: Partial<Record<string, NonNullable<Row['reach']>>> = {},
): Row[] {
	return [...figures.keys()]
		.filter((name) => name !== ours)
		.map((against) => ({
			what,
			unit,
			ours: middle(figures, ours),
			against,
			theirs: middle(figures, against),
			...(reaches[against] && { reach: reaches[against] }),
		}));
}
