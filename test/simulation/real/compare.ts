import fc from 'fast-check';

/** What can be seen of a history from outside, line by line. */
export type Outcome = string[];

/** One history, and what a real n8n did with it. */
export interface Played<Script> {
	script: Script;
	outcome: Outcome;
}

/** How chance can go in the simulation, always the same ways. */
const CHANCES = fc.sample(fc.array(fc.nat(1_000_000), { minLength: 300, maxLength: 300, size: 'max' }), {
	seed: 1,
	numRuns: 8_000,
});

/** So many chances are always tried, to know what the simulation often has. */
const ALWAYS_TRIED = 30;

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
	const inN8n = new Map<string, number>();
	const simulated = new Map<string, number>();
	for (const { script, outcome } of played) {
		const others = new Map<string, Outcome>();
		let isAllowed = false;
		for (const [tried, numbers] of CHANCES.entries()) {
			if (isAllowed && tried >= ALWAYS_TRIED) break;
			const possible = await simulate(script, numbers);
			isAllowed ||= possible.join('\n') === outcome.join('\n');
			others.set(possible.join('\n'), possible);
			if (tried < ALWAYS_TRIED) count(simulated, possible);
		}
		count(inN8n, outcome);
		if (!isAllowed) found.push(describe({ script, outcome }, [...others.values()]));
	}
	console.log(surplus(simulated, inN8n));
	return found;
}

function describe<Script>({ script, outcome }: Played<Script>, others: Outcome[]): string {
	const distance = (other: Outcome) => other.filter((line) => !outcome.includes(line)).length;
	const nearest = others.sort((one, other) => distance(one) - distance(other)).slice(0, NEAREST);
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

/** What a line is about, without the names and numbers in it. */
const kindsOf = (outcome: Outcome) =>
	outcome.flatMap((line) => line.split('; ')).map((part) => part.replace(/'[^']*'|#\d+/g, '…'));

function count(counts: Map<string, number>, outcome: Outcome): void {
	for (const kind of kindsOf(outcome)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
}

/** What the simulation has and a real n8n did not show, the most frequent first. */
function surplus(simulated: Map<string, number>, inN8n: Map<string, number>): string {
	const all = [...simulated.values()].reduce((sum, times) => sum + times, 0);
	const only = [...simulated].filter(([kind]) => !inN8n.has(kind)).sort(([, one], [, other]) => other - one);
	return [
		`${inN8n.size} kinds of lines in a real n8n. Only in the simulation:`,
		...only.map(([kind, times]) => `${((100 * times) / all).toFixed(2)} %  ${kind}`),
	].join('\n');
}
