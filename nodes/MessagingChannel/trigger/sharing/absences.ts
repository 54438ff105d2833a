/** The subscribers that recently responded 404, in this process. */
export interface Absences {
	/**
	 * Records that a subscriber responded 404.
	 *
	 * @param now Unix time in milliseconds
	 */
	note(url: string, now: number): void;
	/** Records that a subscriber responded. */
	end(url: string): void;
	/** Whether a subscriber is gone: absent for longer than it may be. */
	isGone(url: string): boolean;
}

/**
 * Creates an empty record.
 *
 * @param maxAbsenceMs how long a subscriber may be absent
 * @param maxGapMs two 404s that are further apart are two short absences, and not a long one
 */
export function createAbsences(maxAbsenceMs: number, maxGapMs: number): Absences {
	const absences = new Map<string, { since: number; last: number }>();
	return {
		note(url, now) {
			const known = absences.get(url);
			const isSame = known && now - known.last <= maxGapMs;
			absences.set(url, { since: isSame ? known.since : now, last: now });
			for (const [other, { last }] of absences) if (now - last > maxGapMs) absences.delete(other);
		},
		end: (url) => void absences.delete(url),
		isGone(url) {
			const known = absences.get(url);
			return known !== undefined && known.last - known.since >= maxAbsenceMs;
		},
	};
}
