import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { format, resolveConfig } from 'prettier';

import { MUTANTS, type Mutant } from './mutants';
import { startPlayer, type Player } from './player';
import { WORLDS, type WorldName } from './worlds';

/** The characters of a promise that fit into the table. */
const LONGEST = 120;

const PAGE = join(__dirname, 'RESULTS.md');

/** What the page is written from: the latest result of each mutant, by its name. */
const KEPT = join(__dirname, 'results.json');

/** How a mutant fared. */
interface Result {
	/** How many histories were played until one broke a promise. */
	played: number;
	/** The promise; undefined when no history broke any. */
	broken?: string;
}

/**
 * Finds out how many histories each mutant takes, and keeps it in results.json and RESULTS.md. The results of other
 * mutants stay.
 *
 * @param histories how many histories may pass before a mutant counts as not found
 * @param workers how many mutants are tested at the same time
 * @returns the names of the mutants that were not found
 */
export async function testMutants(
	worlds: readonly WorldName[],
	histories: number,
	workers: number,
): Promise<string[]> {
	const waiting = MUTANTS.filter(({ world }) => worlds.includes(world)).values();
	const notFound: string[] = [];
	const work = async (player: Player): Promise<void> => {
		for (const mutant of waiting) {
			const { cpuMs, ...result } = await testMutant(mutant, histories, player);
			if (result.broken === undefined) notFound.push(mutant.name);
			const found = result.broken === undefined ? 'NOT FOUND' : `${result.played} histories`;
			console.log(`${found}, ${(cpuMs / 1000).toFixed(1)} s: ${mutant.name}`);
			keep({ ...kept(), [mutant.name]: result });
		}
		player.end();
	};
	await Promise.all(Array.from({ length: workers }, async () => await work(startPlayer())));
	await writePage(histories);
	return notFound;
}

const kept = (): Record<string, Result> => JSON.parse(readFileSync(KEPT, 'utf8')) as Record<string, Result>;

/** Keeps the results of the mutants that there are, in their order. */
function keep(results: Record<string, Result>): void {
	const names = MUTANTS.map(({ name }) => name).filter((name) => name in results);
	const inOrder = Object.fromEntries(names.map((name) => [name, results[name]]));
	writeFileSync(KEPT, `${JSON.stringify(inOrder, null, '\t')}\n`);
}

async function writePage(histories: number): Promise<void> {
	const style = await resolveConfig(PAGE);
	const page = pageOf(kept(), histories) + partOnSpeed(readFileSync(PAGE, 'utf8'));
	writeFileSync(PAGE, await format(page, { ...style, parser: 'markdown' }));
}

async function testMutant(
	mutant: Mutant,
	histories: number,
	player: Player,
): Promise<Result & { cpuMs: number }> {
	const { world, name } = mutant;
	const endSeed = 1 + histories;
	/** How long a core worked for them. */
	let cpuMs = 0;
	for (let firstSeed = 1; firstSeed < endSeed;) {
		const outcome = await player.play({ world, mutant: name, firstSeed, endSeed, seedStep: 1 });
		cpuMs += outcome.cpuMs;
		if (!outcome.failure) break;
		const { seed, broken } = outcome.failure;
		// A history that fails without the mutant says nothing about it.
		if ((await WORLDS[world].play(seed)).length === 0) return { played: seed, broken: broken[0], cpuMs };
		firstSeed = seed + 1;
	}
	return { played: histories, cpuMs };
}

/** The beginning of a promise, in one line of a table. */
function codeOf(broken: string): string {
	const line = broken.replace(/\s+/g, ' ').replaceAll('|', '\\|').replaceAll('`', "'");
	return `\`${line.length > LONGEST ? `${line.slice(0, LONGEST).replace(/\S*$/, '')}…` : line}\``;
}

/** What stands behind the mistakes, and is written by hand. */
function partOnSpeed(page: string): string {
	return /^## How fast[^]*/m.exec(page)?.[0] ?? '';
}

function pageOf(results: Record<string, Result>, histories: number): string {
	const tried = MUTANTS.flatMap((mutant) => {
		const result = results[mutant.name];
		return result ? [{ ...mutant, ...result }] : [];
	});
	const found = tried.filter(({ broken }) => broken !== undefined);
	const rows = tried.map(({ name, world, wasReal, played, broken }) => [
		wasReal ? `${name} *` : name,
		world,
		broken === undefined ? 'not found' : String(played),
		broken === undefined ? '' : codeOf(broken),
	]);
	return [
		'# Mistakes that the simulation finds',
		'',
		'`npm run simulate -- --mutants` writes this page. It puts one mistake at a time into the code, and plays histories from',
		`seed 1 until one breaks a promise. Of ${tried.length} mistakes it found ${found.length} within ${histories.toLocaleString('en')} histories. The package once had`,
		'those with an asterisk.',
		'',
		...[['Mistake', 'World', 'Histories', 'Broken promise'], ['---', '---', '---:', '---'], ...rows].map(
			(cells) => `| ${cells.join(' | ')} |`,
		),
		'',
	].join('\n');
}
