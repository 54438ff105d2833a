/** Plays the histories of some seeds, in a process of its own that `many.ts` starts. */
import type { FromWorker } from './many';
import { WORLDS, type WorldName } from './worlds';

const [world, ...seeds] = process.argv.slice(2);
const [firstSeed = 0, endSeed = 0, seedStep = 1] = seeds.map(Number);

const tell = async (message: FromWorker) => await new Promise((resolve) => process.send?.(message, resolve));

async function play(): Promise<void> {
	const { play: playOne } = WORLDS[world as WorldName];
	const startedAt = process.cpuUsage();
	for (let seed = firstSeed; seed < endSeed; seed += seedStep) {
		process.send?.({ begins: seed } satisfies FromWorker);
		const broken = await playOne(seed);
		if (broken.length > 0) return void (await tell({ broken }));
	}
	const { user, system } = process.cpuUsage(startedAt);
	await tell({ cpuMs: (user + system) / 1000 });
}

process.once('disconnect', () => process.exit());
play()
	.then(() => process.exit())
	.catch((error: unknown) => {
		console.error(error);
		process.exit(1);
	});
