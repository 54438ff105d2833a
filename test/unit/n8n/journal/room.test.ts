// What a row forgets, and what it refuses instead.
import { createJournal } from '../../../../nodes/MessagingChannel/n8n/journal/journal';
import { CAPACITY, createRoom } from '../../../../nodes/MessagingChannel/n8n/journal/room';
import type { Row } from '../../../../nodes/MessagingChannel/n8n/journal/row';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

function setRow(): Row & { keys: Set<string> } {
	const keys = new Set<string>();
	return {
		keys,
		record: async (asked, max = Infinity) => {
			const before = new Set([...asked].filter((key) => keys.has(key)));
			for (const key of asked) keys.add(key);
			for (const oldest of keys) {
				if (keys.size <= max) break;
				keys.delete(oldest);
			}
			return await Promise.resolve(before);
		},
		remove: async (asked) => {
			for (const key of asked) keys.delete(key);
			await Promise.resolve();
		},
		count: async () => await Promise.resolve(keys.size),
	};
}

/** A node whose runs send what is absent. */
function startNode() {
	const row = setRow();
	let now = Date.UTC(2030, 0, 1, 12);
	/** Sends, and returns how many were sent, done before and refused, and how many keys were dropped. */
	const run = async (ids: readonly string[]) => {
		const clock = { now: () => now, elapsed: () => now, sleep: async () => await Promise.resolve() };
		const journal = createJournal(
			{ row, clock, isShared: false, onFailure: () => {} },
			{ writesWithinMs: 1e9 },
		);
		const room = createRoom(journal, clock);
		const [counts, before] = [{ sent: 0, before: 0, refused: 0 }, [] as string[]];
		await room.open();
		for (let from = 0; from < ids.length; from += 125) {
			const found = [...(await journal.begin(ids.slice(from, from + 125).map((id) => ({ id }))))];
			const absent = found.filter(([, { state }]) => state === 'absent').map(([id]) => id);
			before.push(...found.filter(([, { state }]) => state === 'done').map(([id]) => id));
			const isRoom = absent.length === 0 || (await room.admits(absent.length));
			if (isRoom) journal.finish(...absent);
			else journal.cancel(...absent);
			counts[isRoom ? 'sent' : 'refused'] += absent.length;
			await journal.flush();
		}
		return { ...counts, before: before.length, dropped: await room.trim(before) };
	};
	const pass = (ms: number) => void (now += ms);
	return { row, run, pass };
}

const ids = (count: number, name = 'a', from = 0) =>
	Array.from({ length: count }, (_, index) => `${name} ${from + index}`);
const sent = (count: number) => ({ sent: count, before: 0, refused: 0, dropped: 0 });
const known = (count: number) => ({ sent: 0, before: count, refused: 0, dropped: 0 });

test('19,000 and another 19,000, each started again: nothing twice', async () => {
	const { run, pass } = startNode();
	for (const name of ['a', 'b']) expect(await run(ids(19_000, name))).toEqual(sent(19_000));
	pass(DAY);
	for (const name of ['a', 'b']) {
		expect(await run(ids(19_000, name))).toEqual(known(19_000));
	}
});

test('23,000, also in 46 passes of a loop, started again: nothing twice', async () => {
	const { run } = startNode();
	for (let pass = 0; pass < 46; pass++) expect(await run(ids(500, 'a', 500 * pass))).toEqual(sent(500));
	for (let pass = 0; pass < 46; pass++) expect(await run(ids(500, 'a', 500 * pass))).toEqual(known(500));
	expect(await run(ids(23_000))).toEqual(known(23_000));
});

test('what does not fit beside those of the day is refused, and nothing goes', async () => {
	const { run, pass } = startNode();
	await run(ids(30_000));
	const second = await run(ids(30_000, 'b'));
	expect(second.sent + second.refused).toBe(30_000);
	expect(30_000 + second.sent).toBeGreaterThanOrEqual(CAPACITY);
	expect(30_000 + second.sent).toBeLessThanOrEqual(CAPACITY + 1_500);
	pass(DAY);
	expect((await run(ids(10_000, 'c'))).refused).toBe(10_000);
	expect(await run(ids(30_000))).toEqual(known(30_000));
	expect((await run(ids(second.sent, 'b'))).before).toBe(second.sent);
	pass(2 * DAY);
	expect(await run(ids(10_000, 'c'))).toMatchObject({ sent: 10_000, refused: 0 });
});

test('what is older goes, and the run says how many', async () => {
	const { run, pass } = startNode();
	await run(ids(30_000));
	pass(3 * DAY);
	const { dropped, ...second } = await run(ids(30_000, 'b'));
	expect({ ...second, dropped: 0 }).toEqual(sent(30_000));
	expect(Math.abs(dropped - 20_000)).toBeLessThan(100);
	expect(await run(ids(30_000, 'b'))).toEqual(known(30_000));
});

test('what an execution asks for does not go, however old it is', async () => {
	const { run, pass } = startNode();
	await run(ids(20_000));
	pass(3 * DAY);
	await run(ids(15_000, 'b'));
	pass(3 * DAY);
	const all = [...ids(20_000, 'c'), ...ids(20_000)];
	expect(await run(all)).toMatchObject({ sent: 20_000, before: 20_000, refused: 0 });
	expect(await run(all)).toMatchObject({ sent: 0, before: 40_000, refused: 0 });
});

test('in months of everyday use, nothing is refused, and the row stays short', async () => {
	const { run, pass, row } = startNode();
	let longest = 0;
	for (let at = 0; at < 90 * 24 * 60; at += 480) {
		expect(await run(ids(480, 'a', at))).toMatchObject({ sent: 480, refused: 0 });
		longest = Math.max(longest, row.keys.size);
		pass(480 * MINUTE);
	}
	expect(longest).toBeLessThan(CAPACITY + 3_000);
}, 60_000);
