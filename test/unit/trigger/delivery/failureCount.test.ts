import { createFailureCount } from '../../../../nodes/MessagingChannel/trigger/delivery/failureCount';

const HOUR_MS = 3_600_000;

describe('failures are reported', () => {
	test('after five in a row, with the time of the first', () => {
		const failures = createFailureCount();
		const told = [1, 2, 3, 4, 5, 6].map((now) => failures.add(now));
		expect(told).toEqual([undefined, undefined, undefined, undefined, 1, undefined]);
	});

	test('at most once an hour, however many there are', () => {
		const failures = createFailureCount();
		const told = Array.from({ length: 50_000 }, (_, second) => second * 1_000).filter(
			(now) => failures.add(now) !== undefined,
		);
		expect(told).toEqual(Array.from({ length: 14 }, (_, hour) => 4_000 + hour * HOUR_MS));
	});

	test('only when none in between succeeded, and still at most once an hour', () => {
		const failures = createFailureCount();
		const told = (times: number, now: number) =>
			Array.from({ length: times }, () => failures.add(now)).filter((since) => since !== undefined);
		for (let round = 0; round < 10; round++) {
			expect(told(4, 0)).toEqual([]);
			failures.reset();
		}
		expect(told(5, 5)).toEqual([5]);
		failures.reset();
		expect(told(5, 6)).toEqual([]);
		expect(told(1, HOUR_MS + 4)).toEqual([]);
		expect(told(1, HOUR_MS + 5)).toEqual([6]);
	});
});

test('failures are remembered until one succeeds, and for an hour after a report', () => {
	const failures = createFailureCount();
	expect(failures.isEmpty(0)).toBe(true);
	failures.add(0);
	expect(failures.isEmpty(HOUR_MS)).toBe(false);
	failures.reset();
	expect(failures.isEmpty(0)).toBe(true);
	for (let time = 0; time < 5; time++) failures.add(0);
	failures.reset();
	expect(failures.isEmpty(HOUR_MS - 1)).toBe(false);
	expect(failures.isEmpty(HOUR_MS)).toBe(true);
});
