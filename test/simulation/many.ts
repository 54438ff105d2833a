import { fork } from 'node:child_process';
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

/** A history that broke promises. */
export interface Failure {
	seed: number;
	broken: string[];
}

/** The history of this seed begins, or has broken promises. */
export type FromWorker = { seed: number } | Failure;

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
 * @returns what failed first, if anything did
 */
export async function simulate({
	world,
	firstSeed,
	histories,
	workers,
}: Simulation): Promise<Failure | undefined> {
	let failure: Failure | undefined;
	const players = Array.from({ length: workers }, (_, index) => {
		const task = [world, firstSeed + index, firstSeed + histories, workers].map(String);
		return fork(join(__dirname, 'worker.ts'), task, { execArgv: NODE_OPTIONS });
	});
	const fail = (found: Failure): void => {
		failure ??= found;
		for (const player of players) player.kill('SIGKILL');
	};
	const ended = players.map(
		async (player, index) =>
			await new Promise<void>((resolve) => {
				let seed = firstSeed + index;
				const hang = () => fail({ seed, broken: ['The history does not come to an end'] });
				const watchdog = setTimeout(hang, LONGEST_HISTORY_MS);
				player.on('message', (message: FromWorker) => {
					watchdog.refresh();
					({ seed } = message);
					if ('broken' in message) fail(message);
				});
				player.once('exit', (code) => {
					clearTimeout(watchdog);
					if (code !== 0) fail({ seed, broken: ['The process of the history ended'] });
					resolve();
				});
			}),
	);
	await Promise.all(ended);
	return failure;
}
