import { createLastingProblems } from '../../../../nodes/MessagingChannel/trigger/sharing/lastingProblems';

const MINUTE = 60_000;

/** When the first problem is seen. */
const START = 1_900_000_000_000;

test.each<[string, number[], boolean]>([
	['no 404', [], false],
	['one 404', [0], false],
	['a 404 shortly before the end', [0, 5 * MINUTE - 1], false],
	['404s for five minutes', [0, 5 * MINUTE], true],
	['404s within an hour', [0, 60 * MINUTE], true],
	['two 404s that are further apart', [0, 60 * MINUTE + 1], false],
	['404s after a response', [0, 4 * MINUTE, NaN, 5 * MINUTE], false],
	['404s for five minutes after a response', [0, NaN, 1 * MINUTE, 6 * MINUTE], true],
])('after %s, a subscriber is gone: %#', (_, times, expected) => {
	const absences = createLastingProblems(5 * MINUTE, 60 * MINUTE);
	for (const time of times) {
		if (Number.isNaN(time)) absences.end('one');
		else absences.note('one', START + time);
	}
	expect(absences.isLasting('one')).toBe(expected);
});

test('the absences of one subscriber are not those of another', () => {
	const absences = createLastingProblems(5 * MINUTE, 60 * MINUTE);
	absences.note('one', 0);
	absences.note('other', 5 * MINUTE);
	expect([absences.isLasting('one'), absences.isLasting('other')]).toEqual([false, false]);
	absences.note('one', 5 * MINUTE);
	absences.end('other');
	expect(absences.isLasting('one')).toBe(true);
});

test('an absence that nobody has noted for an hour is forgotten', () => {
	const absences = createLastingProblems(5 * MINUTE, 60 * MINUTE);
	absences.note('one', 0);
	absences.note('one', 5 * MINUTE);
	absences.note('other', 65 * MINUTE);
	expect(absences.isLasting('one')).toBe(true);
	absences.note('other', 65 * MINUTE + 1);
	expect(absences.isLasting('one')).toBe(false);
});

test('a problem lasts although the clock was set back meanwhile', () => {
	const absences = createLastingProblems(5 * MINUTE, 60 * MINUTE);
	absences.note('one', START);
	for (let minute = 1; minute <= 6; minute++) absences.note('one', START - 180 * MINUTE + minute * MINUTE);
	expect(absences.isLasting('one')).toBe(true);
});
