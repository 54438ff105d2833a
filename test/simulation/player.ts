import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

import type { WorldName } from './worlds';

/** The histories of some seeds. */
export interface Task {
	world: WorldName;
	firstSeed: number;
	/** The first seed that is not played. */
	endSeed: number;
	seedStep: number;
}

/** A history that broke promises. */
export interface Failure {
	seed: number;
	broken: string[];
}

/** How a task ended. */
export interface Outcome {
	/** Without one, every promise was kept. */
	failure?: Failure;
	/** How long a core has worked for it. */
	cpuMs: number;
}

/** A history begins, or the task is over. */
export type FromWorker = { begins: number } | Outcome;

/** Plays histories in a process of its own, one task at a time. */
export interface Player {
	/**
	 * Resolves when all histories are played, or one has failed. A history that hangs or ends the process has failed.
	 *
	 * @param onHistory called when a history begins
	 */
	play(task: Task, onHistory?: () => void): Promise<Outcome>;
	/** Ends the process, and what it plays. */
	end(): void;
}

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

export function startPlayer(): Player {
	let worker: ChildProcess | undefined;
	/** Ends the task that is played. */
	let finish: (outcome: Outcome) => void = () => {};

	const end = (outcome: Outcome = { cpuMs: 0 }): void => {
		worker?.removeAllListeners();
		worker?.kill('SIGKILL');
		worker = undefined;
		finish(outcome);
	};

	return {
		end: () => end(),
		play: async (task, onHistory = () => {}) =>
			await new Promise((resolve) => {
				worker ??= fork(join(__dirname, 'worker.ts'), { execArgv: NODE_OPTIONS });
				let seed = task.firstSeed;
				const fail = (problem: string) => () => end({ failure: { seed, broken: [problem] }, cpuMs: 0 });
				const watchdog = setTimeout(fail('The history does not come to an end'), LONGEST_HISTORY_MS);
				finish = (outcome) => {
					clearTimeout(watchdog);
					worker?.removeAllListeners();
					resolve(outcome);
				};
				worker.once('exit', fail('The process of the history ended'));
				worker.on('message', (message: FromWorker) => {
					watchdog.refresh();
					if (!('begins' in message)) return finish(message);
					seed = message.begins;
					onHistory();
				});
				worker.send(task);
			}),
	};
}
