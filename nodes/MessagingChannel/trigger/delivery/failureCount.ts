/** This many failures in a row are no accident. */
const FAILURE_THRESHOLD = 5;

/** The same failures are reported at most once in this time. */
const REPORT_INTERVAL_MS = 60 * 60 * 1000;

/** Failures of one kind, which are reported to the user when they do not stop. */
export interface FailureCount {
	/**
	 * Counts a failure.
	 *
	 * @param now that of `clock.elapsed`, as is what is returned
	 * @param isLasting whether it is no accident, however few are counted
	 * @returns the time of the first failure in this row if the user should be told now, else undefined
	 */
	add(now: number, isLasting?: boolean): number | undefined;
	/** Ends the row of failures, because one has succeeded in between. */
	reset(): void;
	/** Whether there is no failure to count and no recent report to remember. */
	isEmpty(now: number): boolean;
}

/** Creates a count without failures. */
export function createFailureCount(): FailureCount {
	let count = 0;
	let firstFailureAt = 0;
	let reportedAt = -Infinity;
	return {
		add: (now, isLasting = false) => {
			if (count === 0) firstFailureAt = now;
			count++;
			if (!isLasting && count < FAILURE_THRESHOLD) return undefined;
			if (now - reportedAt < REPORT_INTERVAL_MS) return undefined;
			reportedAt = now;
			return firstFailureAt;
		},
		reset: () => (count = 0),
		isEmpty: (now) => count === 0 && now - reportedAt >= REPORT_INTERVAL_MS,
	};
}
