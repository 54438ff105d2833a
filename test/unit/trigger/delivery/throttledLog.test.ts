import { createThrottledLog } from '../../../../nodes/MessagingChannel/trigger/delivery/throttledLog';

function startLog() {
	const lines: string[] = [];
	const waits: Array<() => void> = [];
	const made = createThrottledLog(
		(line) => lines.push(line),
		async () => await new Promise<void>((resolve) => waits.push(resolve)),
	);
	const end = async () => {
		for (const resolve of waits.splice(0)) resolve();
		await new Promise(setImmediate);
	};
	return { lines, note: made.note, isEmpty: made.isEmpty, end };
}

test('writes each thing once', () => {
	const { lines, note } = startLog();
	['a', 'b', 'a'].forEach((what, at) => note(what, at));
	expect(lines).toEqual(['a', 'b', 'a']);
});

test('writes a flood as a count, and begins anew after it', async () => {
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

test('what happens now and then is always written', () => {
	const { lines, note } = startLog();
	for (let minute = 0; minute < 20; minute++) note('now and then', minute * 61_000);
	expect(lines).toHaveLength(20);
});

const five = Array(5).fill('flood');

test('a single one too many is counted, too', async () => {
	const { lines, note, end } = startLog();
	for (let times = 0; times < 6; times++) note('flood', 1_000_000);
	await end();
	expect(lines).toEqual([...five, 'flood (1 more times in the last 60 seconds)']);
});

test('begins anew a minute after the first line, not sooner', () => {
	const { lines, note } = startLog();
	for (let times = 0; times < 5; times++) note('flood', 1_000_000);
	note('flood', 1_060_001);
	expect(lines).toHaveLength(6);

	const full = startLog();
	for (let times = 0; times < 5; times++) full.note('flood', 1_000_000);
	full.note('flood', 1_060_000);
	expect(full.lines).toHaveLength(5);
});

test('what is being counted is counted to the end', async () => {
	const { lines, note, end } = startLog();
	for (let times = 0; times < 5; times++) note('flood', 0);
	note('flood', 30_000);
	note('flood', 61_000);
	expect(lines).toEqual(five);
	await end();
	expect(lines).toEqual([...five, 'flood (2 more times in the last 60 seconds)']);
});

test('is empty when the next of each thing would be written as the first', async () => {
	const { note, isEmpty, end } = startLog();
	expect(isEmpty(0)).toBe(true);
	note('a', 0);
	expect(isEmpty(60_000)).toBe(false);
	expect(isEmpty(60_001)).toBe(true);
	for (let time = 0; time < 6; time++) note('flood', 0);
	expect(isEmpty(60_001)).toBe(false);
	await end();
	expect(isEmpty(60_001)).toBe(true);
});
