import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

import { repository } from '../support/n8n/paths';
import { installPackage } from './n8n/package';
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
