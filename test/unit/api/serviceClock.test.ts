import fc from 'fast-check';

import { correctedOffset } from '../../../nodes/MessagingChannel/api/rateLimiter';

const NOW = Date.UTC(2030, 0, 31, 9);

/** An answer of a service whose clock is so far ahead, by way of a network that takes its time. */
const answered = (offset: number, wayThere: number, wayBack: number, at = NOW) => ({
	date: new Date(at + wayThere + offset).toUTCString(),
	sentAt: at,
	receivedAt: at + wayThere + wayBack,
});

const corrected = (known: number, { date, sentAt, receivedAt }: ReturnType<typeof answered>) =>
	correctedOffset(known, date, sentAt, receivedAt);

const way = fc.integer({ min: 0, max: 20_000 });

test('clocks that agree stay so, however long an answer takes', () => {
	fc.assert(
		fc.property(way, way, fc.nat({ max: 5000 }), (there, back, later) => {
			expect(corrected(0, answered(0, there, back, NOW + later))).toBe(0);
		}),
	);
});

test('one that differs is never taken for further ahead than it is, and behind by a second and the way back at most', () => {
	fc.assert(
		fc.property(
			fc.oneof(fc.integer({ min: 22_000, max: 10_000_000 }), fc.integer({ min: -10_000_000, max: -22_000 })),
			way,
			way,
			(offset, there, back) => {
				const known = corrected(0, answered(offset, there, back));
				expect(known).toBeLessThanOrEqual(offset);
				expect(known).toBeGreaterThan(offset - 1000 - back);
			},
		),
	);
});

test('a faster answer tells more exactly, and a slower one takes nothing of that back', () => {
	const slow = corrected(0, answered(-60_000, 0, 5000));
	const fast = corrected(slow, answered(-60_000, 0, 10));
	expect(slow).toBe(-65_000);
	expect(fast).toBe(-60_010);
	expect(corrected(fast, answered(-60_000, 100, 5000))).toBe(fast);
});

test('an offset is kept up to the most that an answer allows', () => {
	expect(corrected(1000, answered(0, 0, 0))).toBe(1000);
	expect(corrected(1001, answered(0, 0, 0))).toBe(0);
});

test('a clock that was set anew counts at once', () => {
	expect(corrected(-60_000, answered(0, 0, 0))).toBe(0);
	expect(corrected(60_000, answered(0, 0, 0))).toBe(0);
});

test.each([undefined, '', 'soon', ['Thu, 31 Jan 2030 09:00:00 GMT'], 7])('%j tells nothing', (date) => {
	expect(correctedOffset(42, date, NOW, NOW)).toBe(42);
});
