import { clock } from '../../../../nodes/MessagingChannel/trigger/account/clock';
import {
	createFailureCount,
	createThrottledLog,
} from '../../../../nodes/MessagingChannel/trigger/delivery/state';

afterEach(() => void jest.restoreAllMocks());

/** Sets the clock. */
const setTo = (moment: number) => {
	jest.spyOn(clock, 'elapsed').mockReturnValue(moment);
	jest.spyOn(clock, 'now').mockReturnValue(moment);
};

/** Counts a failure at this moment. */
function failAt(failures: ReturnType<typeof createFailureCount>, moment: number) {
	setTo(moment);
	return failures.add();
}

const HOUR_MS = 3_600_000;

describe('failures are reported', () => {
	test('after five in a row, with the time of the first', () => {
		const failures = createFailureCount();
		const told = [1, 2, 3, 4, 5, 6].map((now) => failAt(failures, now));
		expect(told).toEqual([undefined, undefined, undefined, undefined, 1, undefined]);
	});

	test('at most once an hour, however many there are', () => {
		const failures = createFailureCount();
		const told = Array.from({ length: 50_000 }, (_, second) => second * 1_000).filter(
			(now) => failAt(failures, now) !== undefined,
		);
		expect(told).toEqual(Array.from({ length: 14 }, (_, hour) => 4_000 + hour * HOUR_MS));
	});

	test('only when none in between succeeded, and still at most once an hour', () => {
		const failures = createFailureCount();
		const told = (times: number, now: number) =>
			Array.from({ length: times }, () => failAt(failures, now)).filter((since) => since !== undefined);
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

function startLog() {
	const lines: string[] = [];
	const waits: Array<() => void> = [];
	jest
		.spyOn(clock, 'sleep')
		.mockImplementation(async () => await new Promise<void>((resolve) => waits.push(resolve)));
	const log = createThrottledLog((line) => lines.push(line));
	const note = (line: string, moment: number) => {
		setTo(moment);
		log(line);
	};
	const end = async () => {
		for (const resolve of waits.splice(0)) resolve();
		await new Promise(setImmediate);
	};
	return { lines, note, end };
}

test('writes each line', () => {
	const { lines, note } = startLog();
	['a', 'b', 'a'].forEach((what, at) => note(what, at));
	expect(lines).toEqual(['a', 'b', 'a']);
});

test('writes a flood as a count, and starts over after it', async () => {
	const { lines, note, end } = startLog();
	for (let time = 0; time < 10_000; time++) note('flood', time);
	expect(lines).toEqual(Array(5).fill('flood'));
	await end();
	expect(lines.slice(5)).toEqual(['flood (9995 more times in the last 60 seconds)']);
	note('flood', 70_000);
	expect(lines).toHaveLength(7);
	note('other', 70_000);
	expect(lines).toHaveLength(8);
});

test('lines with pauses between them are always written', () => {
	const { lines, note } = startLog();
	for (let minute = 0; minute < 20; minute++) note('now and then', minute * 61_000);
	expect(lines).toHaveLength(20);
});

const five = Array(5).fill('flood');

test('a single line too many is counted, too', async () => {
	const { lines, note, end } = startLog();
	for (let times = 0; times < 6; times++) note('flood', 1_000_000);
	await end();
	expect(lines).toEqual([...five, 'flood (1 more times in the last 60 seconds)']);
});

test('starts over a minute after the first line, not before', () => {
	const { lines, note } = startLog();
	for (let times = 0; times < 5; times++) note('flood', 1_000_000);
	note('flood', 1_060_001);
	expect(lines).toHaveLength(6);

	const full = startLog();
	for (let times = 0; times < 5; times++) full.note('flood', 1_000_000);
	full.note('flood', 1_060_000);
	expect(full.lines).toHaveLength(5);
});

test('a count that has started goes on to its end', async () => {
	const { lines, note, end } = startLog();
	for (let times = 0; times < 5; times++) note('flood', 0);
	note('flood', 30_000);
	note('flood', 61_000);
	expect(lines).toEqual(five);
	await end();
	expect(lines).toEqual([...five, 'flood (2 more times in the last 60 seconds)']);
});
