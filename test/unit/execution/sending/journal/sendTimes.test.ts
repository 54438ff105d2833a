import { createSendTimes } from '../../../../../nodes/MessagingChannel/execution/sending/journal/sendTimes';

const STEP_MS = 10 * 60_000;
const NOW = 3_000_000 * STEP_MS;

/** A process of n8n, beside a row with the times of others. */
function startProcess(keys = new Set<string>()) {
	const calls: string[][] = [];
	const find = async (asked: readonly string[]) => {
		calls.push([...asked]);
		return await Promise.resolve(new Set(asked.filter((key) => keys.has(key))));
	};
	const note = async (asked: readonly string[]) => {
		const before = await find(asked);
		for (const key of asked) keys.add(key);
		return before;
	};
	let now = NOW + 1;
	const times = createSendTimes({ note, find }, { now: () => now });
	return { ...times, calls, keys, pass: (ms: number) => (now += ms) };
}

/** The row after another process has recorded a batch so long ago. */
const rowAfter = async (agoMs: number) => {
	const other = startProcess();
	other.pass(-agoMs);
	await other.noteBatch();
	return other.keys;
};

test('records each step once', async () => {
	const process = startProcess();

	await process.noteBatch();
	process.pass(STEP_MS - 2);
	await process.noteBatch();
	expect(process.calls).toHaveLength(1);
	process.pass(1);
	await process.noteBatch();
	expect([process.calls.length, process.keys.size]).toEqual([2, 2]);
});

test('records a step later if the database fails', async () => {
	const process = startProcess();
	process.calls.push = () => {
		throw new Error('database is locked');
	};

	await expect(process.noteBatch()).rejects.toThrow('database is locked');
	Reflect.deleteProperty(process.calls, 'push');
	await process.noteBatch();
	expect(process.keys.size).toBe(1);
});

test.each([
	{ latest: 'this step, before this process', agoMs: 0, expected: NOW },
	{ latest: 'an hour ago', agoMs: 6 * STEP_MS, expected: NOW - 6 * STEP_MS },
	{ latest: 'almost a day ago', agoMs: 143 * STEP_MS, expected: NOW - 143 * STEP_MS },
	{ latest: 'a day ago', agoMs: 144 * STEP_MS, expected: undefined },
])('finds the latest batch of an earlier execution: $latest', async ({ agoMs, expected }) => {
	const process = startProcess(await rowAfter(agoMs));

	await process.noteBatch();
	expect(await process.readLatestEarlier()).toBe(expected);
	// What was found is not looked for again, and nor is what this process has recorded itself.
	await process.readLatestEarlier();
	const [[own], first, second] = process.calls as [string[], string[], string[]];
	expect(first).not.toContain(own);
	expect(second).toHaveLength(expected === undefined ? 143 : expected === NOW ? 143 : 142);
});
