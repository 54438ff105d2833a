import {
	BEGAN,
	marksSince,
	historyOf,
} from '../../../../nodes/MessagingChannel/trigger/deduplication/runMarks';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const midnight = Date.UTC(2026, 0, 20);
const now = midnight + 12 * HOUR;
const hour = (time: number) => `hour ${Math.floor(time / HOUR)}`;
const minute = (time: number) => `minute ${Math.floor(time / MINUTE)}`;
const day = (time: number) => `day ${Math.floor(time / (24 * HOUR))}`;

describe('a row remembers', () => {
	const since = now - HOUR;
	const startedAt = now - 10 * MINUTE;
	const history = (...found: string[]) => historyOf(found, { since, startedAt, now, behindMs: 0 });

	test('everything, if it never forgot anything', () => {
		expect(history(BEGAN).knownSince).toBe(0);
	});

	test.each([
		['an earlier minute', minute(since - HOUR), since - HOUR + MINUTE],
		['the day before', day(since - 24 * HOUR), midnight],
		['an hour a day before', hour(since - 24 * HOUR), since - 23 * HOUR],
		['a day a month before', day(since - 31 * 24 * HOUR), midnight - 30 * 24 * HOUR],
	])('everything that matters, if the mark of %s is left', (_, mark, end) => {
		expect(history(mark, minute(now)).knownSince).toBe(end);
	});

	test('what came in after the minute of the oldest mark', () => {
		expect(history(day(now), minute(since + 5 * MINUTE), minute(now)).knownSince).toBe(since + 6 * MINUTE);
		expect(history(minute(since)).knownSince).toBe(since + MINUTE);
	});

	test.each([
		['earlier', startedAt],
		['just now', now],
	])('nothing, if there is no mark, and the process started %s', (_, start) => {
		const times = { since, startedAt: start, now, behindMs: 0 };
		expect(historyOf([], times)).toEqual({ knownSince: now, quietSince: now });
	});

	test('less, if its marks were set by a clock that is behind', () => {
		const times = { since, startedAt, now, behindMs: 4 * MINUTE };
		const found = [day(now), minute(since), minute(startedAt - 10 * MINUTE)];
		expect(historyOf(found, times)).toEqual({
			knownSince: since + 5 * MINUTE,
			quietSince: startedAt - 5 * MINUTE,
		});
	});

	test('that nothing ran between the last mark and the start', () => {
		const ranAt = startedAt - 20 * MINUTE;
		expect(history(BEGAN).quietSince).toBe(since - HOUR);
		expect(history(BEGAN, minute(since + MINUTE), minute(ranAt), minute(now)).quietSince).toBe(
			ranAt + MINUTE,
		);
		// Not if it has forgotten what ran before the start.
		expect(history(minute(now)).quietSince).toBe(now);
		expect(history(minute(startedAt + MINUTE), minute(now)).quietSince).toBe(now);
	});

	test('that nothing ran since the minute of the start, which may have had runs before it', () => {
		expect(history(BEGAN, minute(startedAt), minute(now)).quietSince).toBe(startedAt + MINUTE);
		const later = { since, startedAt: startedAt + 1_000, now, behindMs: 0 };
		expect(historyOf([BEGAN, minute(startedAt)], later).quietSince).toBe(startedAt + MINUTE);
	});

	test('that nothing ran after the last run of the day before, although the mark of a day counts for all of it', () => {
		const times = {
			since: midnight + MINUTE,
			startedAt: midnight + 5 * MINUTE,
			now: midnight + HOUR,
			behindMs: 0,
		};
		const ranAt = midnight - 20 * MINUTE;
		const { quietSince } = historyOf([BEGAN, day(ranAt), minute(ranAt)], times);
		expect(quietSince).toBe(ranAt + MINUTE);
	});
});

test.each([
	['shorter than what is caught up', 10, 12],
	['longer', 14, 12],
	['longer than a day', 26, 48],
])('after an outage %s, what came in meanwhile did not run', (_, outage, catchUp) => {
	const startedAt = midnight + 7 * MINUTE;
	const ranAt = startedAt - outage * HOUR;
	const times = { since: startedAt - catchUp * HOUR, startedAt, now: startedAt + MINUTE, behindMs: 0 };
	// The row has dropped what it began with.
	const { knownSince, quietSince } = historyOf([day(ranAt), hour(ranAt), minute(ranAt)], times);

	expect(knownSince).toBeLessThanOrEqual(ranAt + HOUR);
	expect(quietSince).toBeLessThanOrEqual(Math.max(times.since, ranAt + HOUR));
	expect(quietSince).toBeGreaterThan(Math.min(times.since - HOUR, ranAt) - MINUTE);
});

test('few marks are asked for, however far back the first one would be', () => {
	const marks = marksSince(now - HOUR, now);
	expect(marks).toHaveLength(31 + 744 + 121);
	expect(marks).toEqual(expect.arrayContaining([day(now - 24 * HOUR), minute(now - HOUR), minute(now)]));
	expect(marksSince(0, now)).toHaveLength(31 + 744 + 1_441);
});
