import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { format, resolveConfig } from 'prettier';

import { MUTANTS, type Mutant } from './mutants';
import { startPlayer, type Player } from './player';
import { WORLDS, type WorldName } from './worlds';

/** The characters of a promise that fit into the table. */
const LONGEST = 120;

/** How a mutant fared. */
interface Result {
	mutant: Mutant;
	/** How many histories were played until one broke a promise. */
	played: number;
	/** The promise; undefined when no history broke any. */
	broken?: string;
	/** How long a core worked for them. */
	cpuMs: number;
}

/**
 * Finds out how many histories each mutant takes, and writes it to RESULTS.md.
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
	const mutants = MUTANTS.filter(({ world }) => worlds.includes(world));
	const results: Result[] = [];
	const waiting = mutants.values();
	const work = async (player: Player): Promise<void> => {
		for (const mutant of waiting) {
			const result = await testMutant(mutant, histories, player);
			results[mutants.indexOf(mutant)] = result;
			const found = result.broken === undefined ? 'NOT FOUND' : `${result.played} histories`;
			console.log(`${found}, ${(result.cpuMs / 1000).toFixed(1)} s: ${mutant.name}`);
		}
		player.end();
	};
	await Promise.all(Array.from({ length: workers }, async () => await work(startPlayer())));
	const file = join(__dirname, 'RESULTS.md');
	const style = await resolveConfig(file);
	const page = pageOf(results, histories) + partOnSpeed(readFileSync(file, 'utf8'));
	writeFileSync(file, await format(page, { ...style, parser: 'markdown' }));
	return results.filter(({ broken }) => broken === undefined).map(({ mutant }) => mutant.name);
}

async function testMutant(mutant: Mutant, histories: number, player: Player): Promise<Result> {
	const { world, name } = mutant;
	const endSeed = 1 + histories;
	let cpuMs = 0;
	for (let firstSeed = 1; firstSeed < endSeed;) {
		const outcome = await player.play({ world, mutant: name, firstSeed, endSeed, seedStep: 1 });
		cpuMs += outcome.cpuMs;
		if (!outcome.failure) break;
		const { seed, broken } = outcome.failure;
		// A history that fails without the mutant says nothing about it.
		if ((await WORLDS[world].play(seed)).length === 0)
			return { mutant, played: seed, broken: broken[0], cpuMs };
		firstSeed = seed + 1;
	}
	return { mutant, played: histories, cpuMs };
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

function pageOf(results: readonly Result[], histories: number): string {
	const found = results.filter(({ broken }) => broken !== undefined);
	const rows = results.map(({ mutant: { name, world, wasReal }, played, broken }) => [
		wasReal ? `${name} *` : name,
		world,
		broken === undefined ? 'not found' : String(played),
		broken === undefined ? '' : codeOf(broken),
	]);
	return [
		'# Mistakes that the simulation finds',
		'',
		'`npm run simulate -- --mutants` writes this page. It puts one mistake at a time into the code, and plays histories from',
		`seed 1 until one breaks a promise. Of ${results.length} mistakes it found ${found.length} within ${histories.toLocaleString('en')} histories. The package once had`,
		'those with an asterisk.',
		'',
		...[['Mistake', 'World', 'Histories', 'Broken promise'], ['---', '---', '---:', '---'], ...rows].map(
			(cells) => `| ${cells.join(' | ')} |`,
		),
		'',
	].join('\n');
}
