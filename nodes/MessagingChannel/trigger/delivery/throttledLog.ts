/** The number of lines per reason and time window. Further lines are only counted. */
const MAX_LINES = 5;

/** The length of a time window, after which the count is written. */
const WINDOW_MS = 60_000;

interface LogWindow {
	startedAt: number;
	lines: number;
	suppressed: number;
}

/** A log that writes the first few lines of each reason, and a count instead of the rest. */
export interface ThrottledLog {
	/**
	 * Logs a reason.
	 *
	 * @param now that of `clock.elapsed`
	 */
	note(reason: string, now: number): void;
	/** Whether all time windows are over and all counts are written. */
	isEmpty(now: number): boolean;
}

/**
 * Creates an empty log.
 *
 * @param write writes a line to n8n's log
 * @param wait resolves after the given number of milliseconds
 */
export function createThrottledLog(
	write: (line: string) => void,
	wait: (ms: number) => Promise<void>,
): ThrottledLog {
	const windows = new Map<string, LogWindow>();

	const isExpired = (window: LogWindow, now: number) =>
		window.suppressed === 0 && now - window.startedAt > WINDOW_MS;

	const writeCountLater = async (reason: string, window: LogWindow) => {
		await wait(WINDOW_MS);
		write(`${reason} (${window.suppressed} more times in the last ${WINDOW_MS / 1000} seconds)`);
		windows.delete(reason);
	};

	return {
		note(reason, now) {
			for (const [key, window] of windows) if (isExpired(window, now)) windows.delete(key);
			let window = windows.get(reason);
			if (!window) {
				window = { startedAt: now, lines: 0, suppressed: 0 };
				windows.set(reason, window);
			}
			if (window.lines < MAX_LINES) {
				window.lines++;
				write(reason);
				return;
			}
			if (window.suppressed === 0) void writeCountLater(reason, window);
			window.suppressed++;
		},
		isEmpty: (now) => [...windows.values()].every((window) => isExpired(window, now)),
	};
}
