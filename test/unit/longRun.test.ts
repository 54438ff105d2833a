import { problemsOf } from '../longRun/report';
import type { Reading } from '../longRun/gauge';
import { WORK } from '../longRun/round';
import type { Course } from '../longRun/run';

const MB = 2 ** 20;
const MINUTE_MS = 60_000;
const reading: Reading = {
	heapUsed: 160 * MB,
	external: 20 * MB,
	rss: 500 * MB,
	sockets: 7,
	timers: 11,
	mishaps: [],
};

/** A saw that comes back every few samples, as memory does between two collections. */
const saw = (number: number) => ((number * 7) % 5) * 0.2;

/** Half an hour in which the heap grows by so many MB per hour. */
const course = (
	perHour: number,
	more: { after?: Partial<Reading>; rssPerHour?: number; failures?: number } = {},
): Course => ({
	name: 'one',
	rounds: 181,
	done: { executions: 181 * WORK.executions, failures: more.failures ?? 0, sends: 181 * WORK.sends },
	before: reading,
	during: Array.from({ length: 180 }, (_, number) => {
		const at = number * 10_000;
		const hours = at / (60 * MINUTE_MS);
		return {
			...reading,
			at,
			heapUsed: reading.heapUsed + (saw(number) + perHour * hours) * MB,
			rss: reading.rss + (saw(number) * 50 + (more.rssPerHour ?? 0) * hours) * MB,
		};
	}),
	after: { ...reading, ...more.after },
});

describe('a long run', () => {
	test('passes when nothing grows', () => {
		expect(problemsOf([course(0), course(0)])).toEqual([]);
	});

	test('fails when the heap grows', () => {
		expect(problemsOf([course(4), course(0)])).toEqual(['JavaScript heap grows']);
	});

	test('passes when it grows as it does without this package', () => {
		expect(problemsOf([course(20), course(20)])).toEqual([]);
	});

	test('fails when only the whole process grows', () => {
		expect(problemsOf([course(0, { rssPerHour: 200 }), course(0)])).toEqual(['Whole process (RSS) grows']);
	});

	test('fails when an execution failed', () => {
		expect(problemsOf([course(0, { failures: 1 }), course(0)])).toEqual(['1 failures instead of 0']);
	});

	test.each([
		[{ sockets: 8 }, 'sockets were left: 7 before, 8 after'],
		[{ timers: 12 }, 'timers were left: 11 before, 12 after'],
		[{ mishaps: ['unhandled rejection: Error'] }, 'unhandled rejection: Error'],
	])('fails when %j is left', (after, problem) => {
		expect(problemsOf([course(0, { after }), course(0)])).toEqual([problem]);
	});
});
