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
