import { createJournal } from '../../../nodes/MessagingChannel/trigger/journal';

function journal() {
	const lines: string[] = [];
	let endPeriod = () => {};
	const made = createJournal(
		(line) => lines.push(line),
		async () => await new Promise<void>((resolve) => (endPeriod = resolve)),
	);
	return { lines, note: made.note, end: async () => (endPeriod(), await new Promise(setImmediate)) };
}

test('writes each thing once', () => {
	const { lines, note } = journal();
	['a', 'b', 'a'].forEach((what, at) => note(what, at));
	expect(lines).toEqual(['a', 'b', 'a']);
});

test('writes a flood as a count, and begins anew after it', async () => {
	const { lines, note, end } = journal();
	for (let time = 0; time < 10_000; time++) note('flood', time);
	expect(lines).toEqual(Array(5).fill('flood'));
	await end();
	expect(lines[5]).toBe('flood (9995 more times in the last 60 seconds)');
	note('flood', 70_000);
	expect(lines).toHaveLength(7);
	note('other', 70_000);
	expect(lines).toHaveLength(8);
});

test('what happens now and then is always written', () => {
	const { lines, note } = journal();
	for (let minute = 0; minute < 20; minute++) note('now and then', minute * 61_000);
	expect(lines).toHaveLength(20);
});
