/**
 * Plays histories in simulated worlds until one breaks a promise, and tells its story: `npm run simulate`.
 *
 * --world NAME     only this world
 * --seed N         the first seed; alone, the history of this seed is replayed, and its story told
 * --histories N    how many histories, shared among the worlds; 20,000 by default
 * --workers N      how many processes; one for each core by default
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

import { simulate, type Simulation } from './many';
import { sharesOf, WORLD_NAMES, WORLDS, type Story, type WorldName } from './worlds';

const { values: given } = parseArgs({
	options: {
		world: { type: 'string' },
		seed: { type: 'string' },
		histories: { type: 'string' },
		workers: { type: 'string' },
	},
});

const DEFAULT_HISTORIES = 20_000;

function print({ lines, broken }: Story): void {
	for (const [index, line] of lines.entries()) console.log(`${String(index + 1).padStart(4)}. ${line}`);
	console.log(broken.length === 0 ? '\nEvery promise was kept.' : `\nBroken:\n- ${broken.join('\n- ')}`);
}

async function tellSimplest(world: WorldName, seed: number): Promise<void> {
	process.exitCode = 1;
	console.log('\nThe simplest history like it:\n');
	print(await WORLDS[world].tellSimplest(seed));
}

/** Tells the history of a seed. */
async function tellOne(world: WorldName, seed: number): Promise<void> {
	console.log(`\n${world}, seed ${seed}:\n`);
	const story = await WORLDS[world].tell(seed);
	print(story);
	if (story.broken.length > 0) await tellSimplest(world, seed);
}

async function playMany(simulation: Simulation): Promise<void> {
	const { world, firstSeed, histories } = simulation;
	const startedAt = Date.now();
	const failure = await simulate(simulation);
	if (!failure) {
		const seconds = Math.round((Date.now() - startedAt) / 1000);
		return console.log(`${world}: ${histories} histories from seed ${firstSeed} in ${seconds} s`);
	}
	const { seed, broken } = failure;
	console.log(`\nThe history of seed ${seed} breaks a promise:\n- ${broken.join('\n- ')}`);
	console.log(`\nTo replay it: npm run simulate -- --world ${world} --seed ${seed}`);
	await tellSimplest(world, seed);
}

async function main(): Promise<void> {
	const worlds = given.world === undefined ? WORLD_NAMES : [worldCalled(given.world)];
	const workers = Number(given.workers ?? availableParallelism());
	const firstSeed = Number(given.seed ?? Date.now() % 1_000_000_000);
	const total = Number(given.histories ?? (given.seed === undefined ? DEFAULT_HISTORIES : 1));
	for (const [world, histories] of sharesOf(worlds, total)) {
		if (histories === 1) await tellOne(world, firstSeed);
		else await playMany({ world, firstSeed, histories, workers });
	}
}

function worldCalled(name: string): WorldName {
	const world = WORLD_NAMES.find((candidate) => candidate === name);
	if (world === undefined) throw new Error(`Unknown world '${name}'. There are: ${WORLD_NAMES.join(', ')}`);
	return world;
}

main().catch((error: unknown) => {
	console.error(error);
	process.exitCode = 1;
});
