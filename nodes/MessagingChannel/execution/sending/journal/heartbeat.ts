import type { Clock } from '../../../api/clock';
import type { Journal } from '../../../n8n/journal/contract';

/** How often a process beats, and the steps of time in which it does so at least once. */
const BEAT_INTERVAL_MS = 5000;
const BEAT_STEP_MS = 15_000;

/** How far the clocks of two processes may differ, and how long two of them may take for one call. */
const BEAT_MARGIN_MS = 2000;

/** Stored in each step in which executions run. */
const aliveKey = (step: number) => `alive ${step}`;

/** What the running executions of this process share about its heartbeat. */
export interface HeartbeatState {
	/** The last step with a beat of this process. */
	lastBeat: number | undefined;
	/** While it listens for other processes, this one does not beat. */
	isListening: boolean;
}

/** By their heartbeats, processes that run executions of the same node find out about each other. */
export interface Heartbeat {
	/** Beats until the end of the execution, also while another caller has the row. */
	keepBeating(): Promise<void>;
	/** Listens for one whole step. Returns whether no other process has a beat in it. */
	isAlone(): Promise<boolean>;
	/** Removes the last beat. Called at the end of the last execution. */
	end(): void;
}

/**
 * Creates the heartbeat of one execution.
 *
 * @param ended aborted at the end of the execution
 */
export function createHeartbeat(
	state: HeartbeatState,
	{ note, erase }: Pick<Journal, 'note' | 'erase'>,
	clock: Clock,
	ended: AbortSignal,
): Heartbeat {
	/** Beats once in each step. Returns whether it is certainly the only process with a beat in it. */
	const beat = async (): Promise<boolean> => {
		const step = beatStepOf(clock.now());
		// Its beat from before the clock was set back would hide those of others.
		if (step === state.lastBeat) return false;
		const last = state.lastBeat;
		// Set at once, because several executions of this process beat.
		state.lastBeat = step;
		const before = await note([aliveKey(step)]).catch((error: unknown) => {
			state.lastBeat = last;
			throw error;
		});
		if (last !== undefined) erase(aliveKey(last));
		return !before.has(aliveKey(step));
	};

	const listenForStep = async (): Promise<boolean> => {
		const step = beatStepOf(clock.now()) + 1;
		// Two processes that listen at the same time go on at different times.
		const delayMs = BEAT_MARGIN_MS * (1 + clock.random());
		await clock.sleep((step + 1) * BEAT_STEP_MS + delayMs - clock.now());
		const before = await note([aliveKey(step)]);
		if (before.has(aliveKey(step))) return false;
		erase(aliveKey(step));
		// A clock that was set back cuts the step short. After a later step, others may have removed their beats.
		return beatStepOf(clock.now()) === step + 1 && (await beat());
	};

	return {
		async keepBeating() {
			while (!ended.aborted) {
				await clock.sleep(BEAT_INTERVAL_MS, ended);
				// Without the database, no other process can send either.
				if (!state.isListening) await beat().catch(() => undefined);
			}
		},
		async isAlone() {
			state.isListening = true;
			return await listenForStep().finally(() => (state.isListening = false));
		},
		end() {
			if (state.lastBeat !== undefined) erase(aliveKey(state.lastBeat));
		},
	};
}

function beatStepOf(now: number): number {
	return Math.floor(now / BEAT_STEP_MS);
}
