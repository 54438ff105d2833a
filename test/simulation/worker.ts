/** Plays histories, in a process of its own that `player.ts` starts. */
import type { FromWorker, Task } from './player';
import { WORLDS } from './worlds';

const tell = (message: FromWorker) => process.send?.(message);

/** Plays until a history breaks a promise. */
async function play({ world, firstSeed, endSeed, seedStep }: Task): Promise<void> {
	const startedAt = process.cpuUsage();
	for (let seed = firstSeed; seed < endSeed; seed += seedStep) {
		tell({ begins: seed });
		const broken = await WORLDS[world].play(seed);
		if (broken.length > 0) return void tell({ failure: { seed, broken }, cpuMs: cpuMsSince(startedAt) });
	}
	tell({ cpuMs: cpuMsSince(startedAt) });
}

function cpuMsSince(startedAt: NodeJS.CpuUsage): number {
	const { user, system } = process.cpuUsage(startedAt);
	return (user + system) / 1000;
}

process.on('message', (task: Task) => {
	play(task).catch((error: unknown) => {
		console.error(error);
		process.exit(1);
	});
});
process.once('disconnect', () => process.exit());
