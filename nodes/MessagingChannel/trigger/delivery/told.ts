import { unixTimeOf } from '../../api/clock';
import { clock } from '../account/clock';

/** Decides what is told now, so that the same is told at most once in an interval. */
export interface Teller {
	/** How often the same was left out since it was told last, if it is to be told now. */
	due(subject: string): number | undefined;
}

/** Creates a teller that has told nothing. */
export function createTeller(intervalMs: number): Teller {
	const told = new Map<string, { at: number; leftOut: number }>();
	return {
		due(subject) {
			const now = clock.elapsed();
			const last = told.get(subject);
			if (last && now - last.at < intervalMs) return void last.leftOut++;
			told.set(subject, { at: now, leftOut: 0 });
			return last?.leftOut ?? 0;
		},
	};
}

/** This many failures in a row are no accident. */
const FAILURE_THRESHOLD = 5;

/** Failures of one kind, which are reported to the user when they do not stop. */
export interface FailureCount {
	/** How many there were since the last success, which sets it to 0. */
	inARow: number;
	/**
	 * Counts a failure.
	 *
	 * @returns the Unix time of the first failure in this row, in milliseconds, if the user should be told now
	 */
	add(): number | undefined;
}

/** Creates a count without failures, with the `due` of a teller. */
export function createFailureCount(due: () => number | undefined): FailureCount {
	let firstFailureAt = 0;
	return {
		inARow: 0,
		add() {
			if (this.inARow === 0) firstFailureAt = clock.elapsed();
			this.inARow++;
			const isTold = this.inARow >= FAILURE_THRESHOLD && due() !== undefined;
			return isTold ? unixTimeOf(firstFailureAt, clock) : undefined;
		},
	};
}
