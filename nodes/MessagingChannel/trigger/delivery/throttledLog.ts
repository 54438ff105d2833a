/** So many lines are written for each reason before the rest is only counted. */
const LINES = 5;

/** The count is written and a new one begins after this time. */
const PERIOD_MS = 60_000;

interface Count {
	since: number;
	lines: number;
	unwritten: number;
}

/** Writes each thing that happened once, and a flood of one kind as a count. */
export interface ThrottledLog {
	/** Something happened, now. */
	note(what: string, now: number): void;
	/** Whether nothing in it matters any more. */
	isEmpty(now: number): boolean;
}

/**
 * @param write puts a line in n8n's log
 * @param wait resolves after so many milliseconds
 */
export function createThrottledLog(
	write: (line: string) => void,
	wait: (ms: number) => Promise<void>,
): ThrottledLog {
	const counts = new Map<string, Count>();

	const isOver = (count: Count, now: number) => count.unwritten === 0 && now - count.since > PERIOD_MS;

	const writeCountLater = async (what: string, count: Count) => {
		await wait(PERIOD_MS);
		write(`${what} (${count.unwritten} more times in the last ${PERIOD_MS / 1000} seconds)`);
		counts.delete(what);
	};

	return {
		note(what, now) {
			let count = counts.get(what);
			if (!count || isOver(count, now)) {
				count = { since: now, lines: 0, unwritten: 0 };
				counts.set(what, count);
			}
			if (count.lines < LINES) {
				count.lines++;
				write(what);
				return;
			}
			if (count.unwritten === 0) void writeCountLater(what, count);
			count.unwritten++;
		},
		isEmpty: (now) => [...counts.values()].every((count) => isOver(count, now)),
	};
}
