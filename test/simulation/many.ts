import { startPlayer, type Failure, type Player } from './player';
import type { WorldName } from './worlds';

/** The histories of consecutive seeds. */
export interface Simulation {
	world: WorldName;
	firstSeed: number;
	histories: number;
	/** How many processes share the work. */
	workers: number;
}

const REPORT_MS = 10_000;

/**
 * Plays histories until one breaks a promise.
 *
 * @param onProgress called every few seconds with the number of histories so far
 * @returns how many were played, how long a core worked for them, and the history that failed
 */
export async function simulate(
	{ world, firstSeed, histories, workers }: Simulation,
	onProgress: (played: number) => void,
): Promise<{ played: number; cpuMs: number; failure?: Failure }> {
	let played = 0;
	let cpuMs = 0;
	let failure: Failure | undefined;
	const players = Array.from({ length: workers }, startPlayer);
	const report = setInterval(() => onProgress(played), REPORT_MS);
	const work = async (player: Player, index: number): Promise<void> => {
		const task = {
			world,
			firstSeed: firstSeed + index,
			endSeed: firstSeed + histories,
			seedStep: workers,
		};
		const outcome = await player.play(task, () => played++);
		cpuMs += outcome.cpuMs;
		failure ??= outcome.failure;
		if (failure) for (const other of players) other.end();
	};
	await Promise.all(players.map(work)).finally(() => {
		clearInterval(report);
		for (const player of players) player.end();
	});
	return { played, cpuMs, failure };
}
