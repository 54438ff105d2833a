import type { Clock } from '../../../api/clock';
import { timeKey } from './requestKeys';
import type { RequestRow, SharedRow } from './requestRow';

/** Times are stored in steps of this length. */
const TIME_STEP_MS = 10 * 60 * 1000;

/** How far back times are read. */
const TIME_STEPS = 144;

/** What the running executions of this process share about the times of a node's batches. */
export interface TimeSteps {
	/** The steps that this process has stored. */
	ownSteps: Set<number>;
	/** Those that were stored before. */
	earlierSteps: Set<number>;
}

/** When a node has sent, in steps of time, of which each is stored with the batches in it. */
export interface SendTimes {
	currentStep(): number;
	/** Notes that the step was stored. `before` has those of the keys stored with it that were stored before. */
	noteStored(step: number, before: ReadonlySet<string>): void;
	/**
	 * When the latest batch of an earlier execution was recorded, in Unix milliseconds; undefined if that is not known. What
	 * it left unconfirmed was sent after that.
	 */
	readLatestEarlier(): Promise<number | undefined>;
}

/** Creates the access of one execution to the times. */
export function createSendTimes(
	{ ownSteps, earlierSteps, unneededKeys }: TimeSteps & Pick<SharedRow, 'unneededKeys'>,
	row: RequestRow,
	clock: Clock,
): SendTimes {
	const currentStep = () => Math.floor(clock.now() / TIME_STEP_MS);
	return {
		currentStep,
		noteStored(step, before) {
			if (before.has(timeKey(step)) && !ownSteps.has(step)) earlierSteps.add(step);
			ownSteps.add(step);
		},
		async readLatestEarlier() {
			const current = currentStep();
			const steps = Array.from({ length: TIME_STEPS }, (_, age) => current - age);
			const unknown = steps.filter((step) => !ownSteps.has(step) && !earlierSteps.has(step));
			const before = await row.record(unknown.map(timeKey));
			for (const step of unknown) {
				if (before.has(timeKey(step))) earlierSteps.add(step);
				else unneededKeys.add(timeKey(step));
			}
			await row.removeUnneeded();
			const latest = steps.find((step) => earlierSteps.has(step));
			return latest === undefined ? undefined : latest * TIME_STEP_MS;
		},
	};
}
