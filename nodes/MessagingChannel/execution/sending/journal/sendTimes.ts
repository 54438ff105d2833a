import type { Clock } from '../../../api/clock';
import type { Journal } from '../../../n8n/journal/contract';

/** Times are stored in steps of this length. */
const TIME_STEP_MS = 10 * 60 * 1000;

/** How far back times are read. */
const TIME_STEPS = 144;

/** Stored with the batches of a step. */
const timeKey = (step: number): string => `time ${step}`;

/** When a node has sent, in steps of time, of which each is stored with the batches in it. */
export interface SendTimes {
	/** Stores the current step, with a batch that is begun at the same time. */
	noteBatch(): Promise<void>;
	/**
	 * When the latest batch of an earlier execution was recorded, in Unix milliseconds; undefined if that is not known. What
	 * it left open was sent after that.
	 */
	readLatestEarlier(): Promise<number | undefined>;
}

/** Creates the access to the times, for all executions of this process. */
export function createSendTimes(
	{ note, find }: Pick<Journal, 'note' | 'find'>,
	{ now }: Pick<Clock, 'now'>,
): SendTimes {
	/** The steps that this process has stored, and those that were stored before. */
	const [own, earlier] = [new Set<number>(), new Set<number>()];
	const currentStep = () => Math.floor(now() / TIME_STEP_MS);
	return {
		async noteBatch() {
			const step = currentStep();
			if (own.has(step)) return;
			own.add(step);
			const before = await note([timeKey(step)]).catch((error: unknown) => {
				own.delete(step);
				throw error;
			});
			if (before.size > 0) earlier.add(step);
		},
		async readLatestEarlier() {
			const steps = Array.from({ length: TIME_STEPS }, (_, age) => currentStep() - age);
			const unknown = steps.filter((step) => !own.has(step) && !earlier.has(step));
			const found = await find(unknown.map(timeKey));
			for (const step of unknown) if (found.has(timeKey(step))) earlier.add(step);
			const latest = steps.find((step) => earlier.has(step));
			return latest === undefined ? undefined : latest * TIME_STEP_MS;
		},
	};
}
