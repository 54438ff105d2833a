import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

import type { WorldName } from './worlds';

/** The histories of consecutive seeds. */
export interface Simulation {
	world: WorldName;
	firstSeed: number;
	histories: number;
	/** How many processes share the work. */
	workers: number;
}

/** How histories ended, until one broke promises. */
interface Outcome {
	played: number;
	/** How long a core has worked for them. */
	cpuMs: number;
	failure?: { seed: number; broken: string[] };
}

/** A history begins, one has broken promises, or all are over. */
export type FromWorker = { begins: number } | { broken: string[] } | { cpuMs: number };

const REPORT_MS = 10_000;

/** A history takes milliseconds, even on a busy machine. */
const LONGEST_HISTORY_MS = 120_000;

/**
 * Nobody reads the stacks of errors here, and each takes long. Who replays a history sees them. Most histories leave nothing
 * behind, so garbage is best collected seldom, and by one thread, because each core plays histories.
 */
const NODE_OPTIONS = [
	'--require',
	join(__dirname, 'compile.cjs'),
	'--stack-trace-limit=0',
	'--min-semi-space-size=64',
	'--max-semi-space-size=64',
	'--single-threaded-gc',
];

/**
 * Plays histories in processes of their own until one breaks a promise, hangs or ends its process.
 *
 * @param onProgress called every few seconds with the number of histories so far
 */
export async function simulate(
	{ world, firstSeed, histories, workers }: Simulation,
	onProgress: (played: number) => void,
): Promise<Outcome> {
	const outcome: Outcome = { played: 0, cpuMs: 0 };
	const players: ChildProcess[] = [];
	const play = async (index: number): Promise<void> =>
		await new Promise((resolve) => {
			let seed = firstSeed + index;
			const task = [world, seed, firstSeed + histories, workers].map(String);
			const player = fork(join(__dirname, 'worker.ts'), task, { execArgv: NODE_OPTIONS });
			players.push(player);
			const fail = (broken: string[]): void => {
				outcome.failure ??= { seed, broken };
				for (const each of players) each.kill('SIGKILL');
			};
			const hang = () => fail(['The history does not come to an end']);
			const watchdog = setTimeout(hang, LONGEST_HISTORY_MS);
			player.on('message', (message: FromWorker) => {
				watchdog.refresh();
				if ('broken' in message) return fail(message.broken);
				if ('cpuMs' in message) return void (outcome.cpuMs += message.cpuMs);
				seed = message.begins;
				outcome.played++;
			});
			player.once('exit', (code) => {
				clearTimeout(watchdog);
				if (code !== 0) fail(['The process of the history ended']);
				resolve();
			});
		});
	const report = setInterval(() => onProgress(outcome.played), REPORT_MS);
	await Promise.all(Array.from({ length: workers }, async (_, index) => await play(index)));
	clearInterval(report);
	return outcome;
}
