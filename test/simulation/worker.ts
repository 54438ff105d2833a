/** Plays the histories of some seeds, in a process of its own that `many.ts` starts. */
import type { FromWorker } from './many';
import { WORLDS, type WorldName } from './worlds';

const [world, ...seeds] = process.argv.slice(2);
const [firstSeed = 0, endSeed = 0, seedStep = 1] = seeds.map(Number);

async function play(): Promise<void> {
	for (let seed = firstSeed; seed < endSeed; seed += seedStep) {
		process.send?.({ seed } satisfies FromWorker);
		const broken = await WORLDS[world as WorldName].play(seed);
		if (broken.length > 0)
			return await new Promise((resolve) => {
				process.send?.({ seed, broken } satisfies FromWorker, () => resolve());
			});
	}
}

process.once('disconnect', () => process.exit());
play()
	.then(() => process.exit())
	.catch((error: unknown) => {
		console.error(error);
		process.exit(1);
	});
