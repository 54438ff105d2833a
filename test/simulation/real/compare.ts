import fc from 'fast-check';

/** What can be seen of a history from outside, line by line. */
export type Outcome = string[];

/** One history, and what a real n8n did with it. */
export interface Played<Script> {
	script: Script;
	outcome: Outcome;
}

/** So many numbers of a chance are for how a script is played, and the others for what happens in the world. */
export const PLAYING = 50;

/** More than a history uses up. */
const LENGTH = 1_500;

const MAX_NUMBER = 1_000_000;

const number = fc.nat(MAX_NUMBER);

const chanceOf = (world: fc.Arbitrary<number>): fc.Arbitrary<number[]> =>
	fc
		.tuple(
			fc.array(number, { minLength: PLAYING, maxLength: PLAYING }),
			fc.array(world, { minLength: LENGTH - PLAYING, maxLength: LENGTH - PLAYING, size: 'max' }),
		)
		.map((parts) => parts.flat());

/** How chance can go in the simulation, always the same ways. In a real n8n, little is unusual, and 0 is what is usual. */
const CHANCES = fc.sample(
	fc.noBias(
		fc.oneof(
			chanceOf(number),
			chanceOf(fc.oneof(fc.constant(0), number)),
			chanceOf(fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: number })),
		),
	),
	{ seed: 1, numRuns: 8_000 },
);

/** At the most so many numbers of the nearest outcome's chance are changed at once. */
const CHANGED = 20;

/** So many chances are tried before others are made of the nearest. */
const FIRST = 30;

const NEAREST = 3;

/**
 * Looks for what a real n8n did among what the simulation allows.
 *
 * @returns a description of each history of which it is not
 */
export async function mismatches<Script>(
	played: Array<Played<Script>>,
	simulate: (script: Script, numbers: readonly number[]) => Promise<Outcome>,
): Promise<string[]> {
	const found: string[] = [];
	for (const { script, outcome } of played) {
		const others = new Map<string, Outcome>();
		let nearest = { numbers: [] as readonly number[], distance: Infinity };
		for (const [tried, fresh] of CHANCES.entries()) {
			// Three of four chances are like the one that came nearest so far: they soon find what is rare.
			const numbers = tried < FIRST || tried % 4 === 0 ? fresh : changed(nearest.numbers, fresh);
			const possible = await simulate(script, numbers);
			others.set(possible.join('\n'), possible);
			if (others.has(outcome.join('\n'))) break;
			const distance = distanceOf(possible, outcome);
			if (distance <= nearest.distance) nearest = { numbers, distance };
		}
		if (!others.has(outcome.join('\n'))) found.push(describe({ script, outcome }, [...others.values()]));
	}
	return found;
}

/** A chance with some numbers of another one, more often of the first ones, because few histories use up all. */
function changed(numbers: readonly number[], fresh: readonly number[]): number[] {
	const [position = 0, count = 0] = fresh;
	const among = (length: number) => Math.floor(length ** (position / MAX_NUMBER)) - 1;
	const from = count % 2 ? among(PLAYING) : PLAYING + among(LENGTH - PLAYING);
	const until = from + 1 + (count % CHANGED);
	return numbers.map((number, index) => (index >= from && index < until ? (fresh[index] as number) : number));
}

/** How many parts of lines are in one of the outcomes only. */
function distanceOf(one: Outcome, other: Outcome): number {
	const partsOf = (outcome: Outcome) =>
		outcome.flatMap((line) => {
			const [name, ...rest] = line.split(': ');
			return rest
				.join(': ')
				.split(/[;,] /)
				.map((part) => `${name}: ${part}`);
		});
	const rest = partsOf(other);
	const own = partsOf(one).filter((part) => {
		const found = rest.indexOf(part);
		if (found >= 0) rest.splice(found, 1);
		return found < 0;
	});
	return own.length + rest.length;
}

function describe<Script>({ script, outcome }: Played<Script>, others: Outcome[]): string {
	const nearest = others
		.sort((one, other) => distanceOf(one, outcome) - distanceOf(other, outcome))
		.slice(0, NEAREST);
	const mark = (lines: Outcome, reference: Outcome) =>
		lines.map((line) => `${reference.includes(line) ? ' ' : '!'} ${line}`);
	return [
		JSON.stringify(script, undefined, 1),
		'A real n8n did:',
		...mark(outcome, nearest[0] ?? []),
		`The simulation has ${others.length} other outcomes. The nearest:`,
		...nearest.flatMap((other) => [...mark(other, outcome), '']),
	].join('\n');
}
