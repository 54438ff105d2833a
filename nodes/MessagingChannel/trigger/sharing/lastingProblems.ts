/** Problems that this process has seen again and again, such as a subscriber that responds 404. */
export interface LastingProblems {
	/**
	 * Records that a problem was seen.
	 *
	 * @param key whose problem it is, such as the URL of a subscriber
	 * @param now Unix time in milliseconds
	 */
	note(key: string, now: number): void;
	/** Records that there is no such problem any more. */
	end(key: string): void;
	/** Whether the problem has been seen for so long that it does not pass by itself. */
	isLasting(key: string): boolean;
}

/**
 * Creates an empty record of one kind of problem.
 *
 * @param minDurationMs how long a problem must have been seen to be a lasting one
 * @param maxGapMs a problem that is seen again after a longer time is a new one
 */
export function createLastingProblems(minDurationMs: number, maxGapMs: number): LastingProblems {
	const problems = new Map<string, { since: number; last: number }>();
	return {
		note(key, now) {
			const known = problems.get(key);
			const isSame = known && now - known.last <= maxGapMs;
			// The clock can be set back.
			problems.set(key, { since: isSame ? Math.min(known.since, now) : now, last: now });
			for (const [other, { last }] of problems) if (now - last > maxGapMs) problems.delete(other);
		},
		end: (key) => void problems.delete(key),
		isLasting(key) {
			const known = problems.get(key);
			return known !== undefined && known.last - known.since >= minDurationMs;
		},
	};
}
