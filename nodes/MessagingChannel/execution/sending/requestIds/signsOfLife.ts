import type { Clock } from '../../../api/clock';
import type { RequestRow, SharedRow } from './requestRow';

/** How often a process shows that it is alive, and the steps of time in which it does so at least once. */
const BEAT_INTERVAL_MS = 5000;
const BEAT_STEP_MS = 15_000;

/** How far the clocks of two processes may differ, and how long two of them may take for one call. */
const BEAT_MARGIN_MS = 2000;

/** Stored in each step in which executions run. */
const aliveKey = (step: number) => `alive ${step}`;

/** What the running executions of this process share about its signs of life. */
export interface Beats {
	/** The last step in which this process has shown that it is alive. */
	lastBeat: number | undefined;
	/** While it waits for signs of life of other processes, this one gives none. */
	isListening: boolean;
}

/** By these, processes that run executions of the same node find out about each other. */
export interface SignsOfLife {
	/** Shows until the end of the execution that this process is alive, also while another caller has the row. */
	keepBeating(): Promise<void>;
	/** Waits for signs of life of other processes, for one whole step. Returns whether there are none. */
	listen(): Promise<boolean>;
	/** Removes them with the next flush, at the end of the last execution. */
	end(): void;
}

/**
 * Creates the signs of life of one execution.
 *
 * @param ended aborted at the end of the execution
 */
export function createSignsOfLife(
	beats: Beats & Pick<SharedRow, 'unneededKeys'>,
	{ record }: RequestRow,
	clock: Clock,
	ended: AbortSignal,
): SignsOfLife {
	/** Shows other processes that this one is alive. Returns whether none has shown it in this step. */
	const beat = async (): Promise<boolean> => {
		const step = beatStepOf(clock.now());
		if (step === beats.lastBeat) return true;
		const last = beats.lastBeat;
		// Set at once, because several executions of this process beat.
		beats.lastBeat = step;
		const before = await record([aliveKey(step)]).catch((error: unknown) => {
			beats.lastBeat = last;
			throw error;
		});
		if (last !== undefined) beats.unneededKeys.add(aliveKey(last));
		return !before.has(aliveKey(step));
	};

	const listenForStep = async (): Promise<boolean> => {
		const step = beatStepOf(clock.now()) + 1;
		// Two processes that listen at the same time go on at different times.
		const delayMs = BEAT_MARGIN_MS * (1 + clock.random());
		await clock.sleep((step + 1) * BEAT_STEP_MS + delayMs - clock.now());
		const before = await record([aliveKey(step)]);
		if (before.has(aliveKey(step))) return false;
		beats.unneededKeys.add(aliveKey(step));
		return await beat();
	};

	return {
		async keepBeating() {
			while (!ended.aborted) {
				await clock.sleep(BEAT_INTERVAL_MS, ended);
				// Without the database, no other process can send either.
				if (!beats.isListening) await beat().catch(() => undefined);
			}
		},
		async listen() {
			beats.isListening = true;
			return await listenForStep().finally(() => (beats.isListening = false));
		},
		end() {
			if (beats.lastBeat !== undefined) beats.unneededKeys.add(aliveKey(beats.lastBeat));
		},
	};
}

function beatStepOf(now: number): number {
	return Math.floor(now / BEAT_STEP_MS);
}
