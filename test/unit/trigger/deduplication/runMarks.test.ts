import { knownSince, marksBefore } from '../../../../nodes/MessagingChannel/trigger/deduplication/runMarks';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const midnight = Date.UTC(2026, 0, 20);
const now = midnight + 12 * HOUR + 5 * MINUTE;
const tenMinutes = (time: number) => `ten minutes ${Math.floor(time / (10 * MINUTE))}`;
const day = (time: number) => `day ${Math.floor(time / DAY)}`;

describe('a row remembers', () => {
	const since = (...left: string[]) => knownSince(new Set(left), now);

	test('everything, if it never forgot anything', () => {
		expect(since('began')).toBe(0);
	});

	test.each([
		['ten minutes', tenMinutes(now - HOUR), now - HOUR + 5 * MINUTE],
		['ten minutes three days ago', tenMinutes(now - 3 * DAY), now - 3 * DAY + 5 * MINUTE],
		['yesterday', day(now - DAY), midnight],
		['a day a month ago', day(now - 31 * DAY), midnight - 30 * DAY],
	])(
		'what came in since the oldest mark, if that is of %s, and a minute later, as far as clocks may differ',
		(_, mark, end) => {
			expect(since(mark, tenMinutes(now - 10 * MINUTE))).toBe(end + MINUTE);
		},
	);

	test('nothing, if no earlier mark is left', () => {
		expect(since()).toBe(now + MINUTE);
		expect(since(day(now), tenMinutes(now))).toBe(now + MINUTE);
	});
});

test('few marks are asked for', () => {
	expect(marksBefore(now).size).toBe(1 + 432 + 31);
});
