import xor from 'lodash/xor';

import { createRandom } from '../../support/service/core/random';

/** What can be seen of a history from outside, line by line. */
export type Outcome = string[];

/** So many numbers of a chance are for how a script is played, and the others for what happens in the world. */
export const PLAYING = 50;

/** More than a history uses up. */
const LENGTH = 1_500;

const CHANCES = 8_000;

/** So many chances are tried before others are made of the nearest. */
const FIRST = 30;

/** At the most so many numbers of the nearest outcome's chance are changed at once. */
const CHANGED = 20;

/**
 * Looks for what a real n8n did among what the simulation allows.
 *
 * @returns what differs; undefined if it is among it
 */
export async function mismatch(
	script: object,
	outcome: Outcome,
	simulate: (numbers: readonly number[]) => Promise<Outcome>,
): Promise<string | undefined> {
	const { next } = createRandom(1);
	const number = () => Math.floor(next() * 1_000_000);
	/** In a real n8n, little is unusual, and 0 is what is usual. */
	const fresh = (usual: number) =>
		Array.from({ length: LENGTH }, (_, index) => (index >= PLAYING && next() < usual ? 0 : number()));
	/** More often of the first numbers, because few histories use up all. */
	const among = (length: number) => Math.floor(length ** next()) - 1;
	const changed = (numbers: readonly number[]) => {
		const from = next() < 0.5 ? among(PLAYING) : PLAYING + among(LENGTH - PLAYING);
		const until = from + 1 + Math.floor(next() * CHANGED);
		return numbers.map((old, index) => (index >= from && index < until ? number() : old));
	};
	const others = new Map<string, Outcome>();
	let nearest = { numbers: [] as number[], distance: Infinity };
	for (let tried = 0; tried < CHANCES; tried++) {
		// Three of four chances are like the one that came nearest so far: they soon find what is rare.
		const isFresh = tried < FIRST || tried % 4 === 0;
		const numbers = isFresh ? fresh([0, 0.5, 0.9][tried % 3] as number) : changed(nearest.numbers);
		const possible = await simulate(numbers);
		const distance = distanceOf(possible, outcome);
		if (possible.join('\n') === outcome.join('\n')) return undefined;
		others.set(possible.join('\n'), possible);
		if (distance <= nearest.distance) nearest = { numbers, distance };
	}
	const best = [...others.values()].sort((a, b) => distanceOf(a, outcome) - distanceOf(b, outcome));
	const mark = (lines: Outcome, reference: Outcome = []) =>
		lines.map((line) => `${reference.includes(line) ? ' ' : '!'} ${line}`);
	return [
		JSON.stringify(script, undefined, 1),
		'A real n8n did:',
		...mark(outcome, best[0]),
		`The simulation has ${best.length} other outcomes. The nearest:`,
		...best.slice(0, 3).flatMap((other) => [...mark(other, outcome), '']),
	].join('\n');
}

/** How many parts of lines are in one of the outcomes only. */
function distanceOf(one: Outcome, other: Outcome): number {
	const partsOf = (line: string) => {
		const [name, ...rest] = line.split(': ');
		return rest
			.join(': ')
			.split(/[;,] /)
			.map((part) => `${name}: ${part}`);
	};
	return xor(one.flatMap(partsOf), other.flatMap(partsOf)).length;
}
