import type { Clock } from '../../api/clock';
import type { Row } from '../../n8n/journal/row';

/**
 * The row of messages that ran forgets the oldest when it is full. Marks among them tell how far back it remembers: each
 * minute, hour and day in which something was recorded has one, recorded before anything else of that time. A mark that is
 * left proves that everything after it is left, too.
 */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * Where marks are looked for: as many minutes as an account with traffic has one in, the hours before, which show when n8n
 * stopped before a long outage, and as many days.
 */
const MINUTES_BEFORE = 60;
const MAX_MINUTES = 24 * 60;
const DAYS_BEFORE = 31;
const HOURS_BEFORE = DAYS_BEFORE * 24;

/** The mark of a row that has never forgotten anything. */
export const BEGAN = 'began';

/** How far back a row remembers, in Unix milliseconds. */
export interface RowHistory {
	/** All messages that ran later are known. */
	knownSince: number;
	/** Messages that came in between this and the start of the process did not run before the start. */
	quietSince: number;
}

interface TimeMark {
	key: string;
	/** In Unix milliseconds. */
	endsAt: number;
	isOfDay: boolean;
}

function minuteMark(minute: number): TimeMark {
	return { key: `minute ${minute}`, endsAt: (minute + 1) * MINUTE_MS, isOfDay: false };
}

function hourMark(hour: number): TimeMark {
	return { key: `hour ${hour}`, endsAt: (hour + 1) * HOUR_MS, isOfDay: false };
}

function dayMark(day: number): TimeMark {
	return { key: `day ${day}`, endsAt: (day + 1) * DAY_MS, isOfDay: true };
}

/**
 * Creates the access to a row whose marks are set in the same call as what comes after them. So no call that fails, and no process
 * that is killed, leaves anything that has no mark before it.
 */
export function createMarkedRow({ now }: Pick<Clock, 'now'>): (row: Row) => Row {
	/** The marks that this process has set last. */
	let set: string[] | undefined;
	return (row) => ({
		...row,
		async record(keys, max) {
			const marks = marksAt(now());
			const isEmpty = !set && (await row.count()) === 0;
			const due = marks.filter((mark) => !set?.includes(mark));
			const before = await row.record([...(isEmpty ? [BEGAN] : []), ...due, ...keys], max);
			set = marks;
			return isEmpty ? new Set([BEGAN, ...before]) : before;
		},
	});
}

/** The marks of a moment. */
export function marksAt(now: number): string[] {
	return [
		dayMark(Math.floor(now / DAY_MS)).key,
		hourMark(Math.floor(now / HOUR_MS)).key,
		minuteMark(Math.floor(now / MINUTE_MS)).key,
	];
}

function candidates(since: number, now: number): TimeMark[] {
	const lastMinute = Math.floor(now / MINUTE_MS);
	// From a full hour on, so that minutes and hours do not overlap.
	const firstHour = Math.floor(
		Math.max(since - MINUTES_BEFORE * MINUTE_MS, now - MAX_MINUTES * MINUTE_MS) / HOUR_MS,
	);
	const minutes = lastMinute - firstHour * 60;
	const lastDay = Math.floor(since / DAY_MS) - 1;
	return [
		...Array.from({ length: DAYS_BEFORE }, (_, index) => dayMark(lastDay - index)),
		...Array.from({ length: HOURS_BEFORE }, (_, index) => hourMark(firstHour - 1 - index)),
		...Array.from({ length: minutes + 1 }, (_, index) => minuteMark(lastMinute - index)),
	];
}

/** The marks that can show whether everything since a time is known. */
export function marksSince(since: number, now: number): string[] {
	return candidates(since, now).map(({ key }) => key);
}

/** Times of a look-up by the clock of the process that asks, in Unix milliseconds. */
export interface LookUpTimes {
	since: number;
	/** When the process began to look for messages. */
	startedAt: number;
	now: number;
	/** How far the clock that marks are set by is behind that of the process, in milliseconds. */
	behindMs: number;
}

/**
 * How far back a row remembers, by the clock of the process that asks.
 *
 * @param found which of the marks, and of `BEGAN`, the row has
 */
export function historyOf(
	found: readonly string[],
	{ since, startedAt, now, behindMs }: LookUpTimes,
): RowHistory {
	const left = candidates(since, now)
		.filter(({ key }) => found.includes(key))
		.map((mark) => ({ ...mark, endsAt: mark.endsAt + behindMs }));
	const knownSince = found.includes(BEGAN) ? 0 : Math.min(now, ...left.map(({ endsAt }) => endsAt));
	if (knownSince >= startedAt) return { knownSince, quietSince: now };
	const before = left.filter(({ isOfDay, endsAt }) => !isOfDay && endsAt <= startedAt + MINUTE_MS);
	const lookedBackTo = since - MINUTES_BEFORE * MINUTE_MS;
	return { knownSince, quietSince: Math.max(0, lookedBackTo, ...before.map(({ endsAt }) => endsAt)) };
}
