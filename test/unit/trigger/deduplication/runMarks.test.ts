import {
	BEGAN,
	createRunMarks,
	marksSince,
	reachOf,
} from '../../../../nodes/MessagingChannel/trigger/deduplication/runMarks';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Noon. */
const now = Date.UTC(2026, 0, 20, 12);
const minute = (time: number) => `minute ${Math.floor(time / MINUTE)}`;
const day = (time: number) => `day ${Math.floor(time / (24 * HOUR))}`;
const isEmpty = async () => await Promise.resolve(true);
const isNotEmpty = async () => await Promise.resolve(false);

describe('a process sets', () => {
	test('the mark of the beginning in an empty row, once', async () => {
		const marks = createRunMarks();
		expect(await marks.due(now, isEmpty)).toEqual([BEGAN, day(now), minute(now)]);
		expect(await marks.due(now, isEmpty)).toEqual([BEGAN, day(now), minute(now)]);
		marks.noteRecorded(now);
		expect(await marks.due(now + 1_000, isEmpty)).toEqual([]);
		expect(await createRunMarks().due(now, isNotEmpty)).toEqual([day(now), minute(now)]);
	});

	test('one mark for each minute and each day', async () => {
		const marks = createRunMarks();
		marks.noteRecorded(now);
		expect(await marks.due(now + MINUTE, isEmpty)).toEqual([minute(now + MINUTE)]);
		const tomorrow = now + 24 * HOUR;
		expect(await marks.due(tomorrow, isEmpty)).toEqual([day(tomorrow), minute(tomorrow)]);
	});
});

describe('a row remembers', () => {
	const since = now - HOUR;
	const startedAt = now - 10 * MINUTE;
	const reach = (...found: string[]) => reachOf(found, { since, startedAt, now });

	test('everything, if it never forgot anything', () => {
		expect(reach(BEGAN).knownSince).toBe(0);
	});

	test.each([
		['an earlier minute', minute(since - HOUR)],
		['an earlier day', day(since - 20 * 24 * HOUR)],
	])('everything that matters, if the mark of %s is left', (_, mark) => {
		expect(reach(mark, minute(now)).knownSince).toBeLessThanOrEqual(since);
	});

	test('what came in after the minute of the oldest mark', () => {
		expect(reach(day(now), minute(since + 5 * MINUTE), minute(now)).knownSince).toBe(since + 6 * MINUTE);
		expect(reach(minute(since)).knownSince).toBe(since + MINUTE);
	});

	test('nothing, if there is no mark', () => {
		expect(reach()).toEqual({ knownSince: now, quietSince: now });
	});

	test('that nothing ran between the last mark and the start', () => {
		const ranAt = startedAt - 20 * MINUTE;
		expect(reach(BEGAN).quietSince).toBe(since - HOUR);
		expect(reach(BEGAN, minute(since + MINUTE), minute(ranAt), minute(now)).quietSince).toBe(ranAt + MINUTE);
		// Not if it has forgotten what ran before the start.
		expect(reach(minute(now)).quietSince).toBe(now);
	});

	test('so far that few marks are asked for', () => {
		expect(marksSince(now - HOUR, now)).toHaveLength(31 + 121);
		expect(marksSince(0, now)).toHaveLength(31 + 1_441);
	});
});
