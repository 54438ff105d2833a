import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

import { repository } from '../support/n8n/paths';
import { compilePackage } from './modules';
import { installPackage, loadPackage } from './package';
import { WORLD_NAMES, WORLDS, type WorldName } from './worlds';

const SEEDS = Array.from({ length: 20 }, (_, index) => index + 1);

async function storiesOf(world: WorldName) {
	const stories = [];
	for (const seed of SEEDS) stories.push(await WORLDS[world].tell(seed));
	return stories;
}

describe.each(WORLD_NAMES)('%s', (world) => {
	let stories: unknown[];

	beforeAll(async () => {
		stories = await storiesOf(world);
	});

	test('a seed always stands for the same story', async () => {
		expect(await storiesOf(world)).toEqual(stories);
	});

	test('processes that share modules without state behave as processes that share nothing', async () => {
		installPackage({ shares: false });
		const alone = await storiesOf(world);
		installPackage();
		expect(alone).toEqual(stories);
	});
});

test('most modules are shared, and none of those that keep state', () => {
	const modules = [...compilePackage()];
	const own = modules.filter(([, { isOwn }]) => isOwn).map(([path]) => path.split('/').at(-1));
	expect(own).toEqual(expect.arrayContaining(['connect', 'state', 'nodeSends', 'claimAnswer']));
	expect(own.length).toBeLessThan(modules.length / 2);
});

test('a module that asks for the time while it is loaded is loaded with its node', () => {
	let time = 1_000;
	const sleep = async () => await Promise.resolve();
	const loaded = loadPackage({ now: () => time, random: () => 0, sleep, randomUUID: () => '' });
	expect(loaded.trigger).toBeDefined();
	time = 2_000;
	expect(loaded.moduleOf('trigger/delivery/state').PROCESS_STARTED_AT).toBe(1_000);
});

test('a million histories are played every night, in every world', () => {
	const workflow = readFileSync(join(repository, '.github', 'workflows', 'simulation.yml'), 'utf8');
	const { jobs } = parse(workflow) as {
		jobs: {
			histories: { strategy: { matrix: { include: Array<{ world: WorldName; histories: number }> } } };
		};
	};
	const shares = jobs.histories.strategy.matrix.include;
	expect(shares.map(({ world }) => world)).toEqual(WORLD_NAMES);
	expect(shares.reduce((sum, { histories }) => sum + histories, 0)).toBe(1_000_000);
});
