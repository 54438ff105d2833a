import { randomInt } from 'crypto';

import type { Clock } from '../../../api/clock';
import type { Journal } from '../../../n8n/journal/contract';

/** How often a process beats, and the steps of time in which it does so several times. */
const BEAT_INTERVAL_MS = 5000;
const BEAT_STEP_MS = 15_000;

/** How far the clocks of two processes may differ, and how long two of them may take for one call. */
const BEAT_MARGIN_MS = 2000;

/** Of 16 million pairs of processes, one has the same name. */
const NAME_BITS = 24;

/** What the running executions of this process share about its heartbeat. */
export interface HeartbeatState {
	/** Tells the process from others. */
	name: readonly boolean[];
	/** The steps whose beats are in the row. */
	steps: Set<number>;
	/** How many executions have not ended it. */
	executions: number;
}

/** The heartbeat of a process that has not beaten. */
export function newHeartbeatState(): HeartbeatState {
	const name = Array.from({ length: NAME_BITS }, () => Boolean(randomInt(2)));
	return { name, steps: new Set(), executions: 0 };
}

/** A beat is a key for each bit of a name, so that two processes hear each other where their names differ. */
const keysOf = (step: number, name: readonly boolean[]) =>
	name.map((bit, place) => `alive ${step} ${place} ${Number(bit)}`);

/** By their heartbeats, processes that run executions of the same node find out about each other. */
export interface Heartbeat {
	/** Beats until the end of the execution, also while another caller has the row. */
	keepBeating(): Promise<void>;
	/**
	 * Listens for the next whole step. Returns whether no other process lives that ran executions when this was called; one that comes
	 * later hears this one.
	 */
	isAlone(): Promise<boolean>;
	/** Called once at the end of the execution. The last one removes the last beats. */
	end(): void;
}

/**
 * Creates the heartbeat of one execution.
 *
 * @param ended aborted at the end of the execution
 */
export function createHeartbeat(
	state: HeartbeatState,
	{ note, find, erase }: Pick<Journal, 'note' | 'find' | 'erase'>,
	clock: Clock,
	ended: AbortSignal,
): Heartbeat {
	const { name, steps } = state;
	state.executions++;

	const remove = (step: number): void => {
		steps.delete(step);
		erase(...keysOf(step, name));
	};

	const beat = async (): Promise<void> => {
		const step = beatStepOf(clock.now());
		steps.add(step);
		await note(keysOf(step, name));
		// Those who listen have looked at what is older.
		for (const old of steps) if (old < step - 1) remove(old);
	};

	return {
		async keepBeating() {
			while (!ended.aborted) {
				// Without the database, no other process can send either.
				await beat().catch(() => undefined);
				await clock.sleep(BEAT_INTERVAL_MS, ended);
			}
		},
		async isAlone() {
			const step = beatStepOf(clock.now()) + 1;
			await clock.sleep((step + 1) * BEAT_STEP_MS + BEAT_MARGIN_MS - clock.now());
			const otherBits = name.map((bit) => !bit);
			const heard = await find(keysOf(step, otherBits));
			// A clock that was set cuts the step short. After a later step, others may have removed their beats.
			return heard.size === 0 && beatStepOf(clock.now()) === step + 1;
		},
		end() {
			if (--state.executions > 0) return;
			for (const step of steps) remove(step);
		},
	};
}

function beatStepOf(now: number): number {
	return Math.floor(now / BEAT_STEP_MS);
}
