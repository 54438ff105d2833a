import { clock, unixTimeOf } from '../account/clock';

/** This many failures in a row are no accident. */
const FAILURE_THRESHOLD = 5;

/** The same failures are reported at most once in this time. */
const REPORT_INTERVAL_MS = 60 * 60 * 1000;

/** Failures of one kind, which are reported to the user when they do not stop. */
export interface FailureCount {
	/**
	 * Counts a failure.
	 *
	 * @param isLasting whether it is no accident, however few are counted
	 * @returns the Unix time of the first failure in this row, in milliseconds, if the user should be told now
	 */
	add(isLasting?: boolean): number | undefined;
	/** Ends the row of failures, because one has succeeded in between. */
	reset(): void;
}

/** Creates a count without failures. */
export function createFailureCount(): FailureCount {
	let count = 0;
	let firstFailureAt = 0;
	let reportedAt = -Infinity;
	return {
		add: (isLasting = false) => {
			const now = clock.elapsed();
			if (count === 0) firstFailureAt = now;
			count++;
			if (!isLasting && count < FAILURE_THRESHOLD) return undefined;
			if (now - reportedAt < REPORT_INTERVAL_MS) return undefined;
			reportedAt = now;
			return unixTimeOf(firstFailureAt);
		},
		reset: () => (count = 0),
	};
}

/** The number of lines per reason and time window. Further lines are only counted. */
const MAX_LINES = 5;

/** The length of a time window, after which the count is written. */
const WINDOW_MS = 60_000;

/** Writes the first few lines of each reason, and a count instead of the rest. */
export type ThrottledLog = (reason: string) => void;

/**
 * Creates a log in which nothing was written.
 *
 * @param write writes a line to n8n's log
 */
export function createThrottledLog(write: (line: string) => void): ThrottledLog {
	const windows = new Map<string, { startedAt: number; lines: number; suppressed: number }>();

	const writeCountLater = async (reason: string, window: { suppressed: number }) => {
		await clock.sleep(WINDOW_MS);
		write(`${reason} (${window.suppressed} more times in the last ${WINDOW_MS / 1000} seconds)`);
		windows.delete(reason);
	};

	return (reason) => {
		const now = clock.elapsed();
		for (const [key, { startedAt, suppressed }] of windows)
			if (suppressed === 0 && now - startedAt > WINDOW_MS) windows.delete(key);
		const window = windows.get(reason) ?? { startedAt: now, lines: 0, suppressed: 0 };
		windows.set(reason, window);
		if (window.lines < MAX_LINES) {
			window.lines++;
			write(reason);
			return;
		}
		if (window.suppressed === 0) void writeCountLater(reason, window);
		window.suppressed++;
	};
}
