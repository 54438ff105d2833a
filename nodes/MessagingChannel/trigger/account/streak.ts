/** How long something has been seen again and again, in milliseconds of `clock.elapsed`. */
export interface Streak {
	since: number;
	last: number;
}

/**
 * A streak with one sight more.
 *
 * @param maxGapMs what is seen after a longer time is a new streak
 */
export function seenAgain(streak: Streak | undefined, now: number, maxGapMs: number): Streak {
	return { since: streak && now - streak.last <= maxGapMs ? streak.since : now, last: now };
}

/** Whether a streak is too long to pass by itself. */
export function isLasting(streak: Streak | undefined, minMs: number): boolean {
	return streak !== undefined && streak.last - streak.since >= minMs;
}
