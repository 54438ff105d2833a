// What a row forgets, and what it refuses instead.
import { createJournal } from '../../../../nodes/MessagingChannel/n8n/journal/journal';
import { CAPACITY, createRoom } from '../../../../nodes/MessagingChannel/n8n/journal/room';
import type { State } from '../../../../nodes/MessagingChannel/n8n/journal/encoding';
import { setRow } from '../../../support/journal/setRow';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** A node whose runs send what is absent. */
function startNode() {
	const row = setRow();
	let now = Date.UTC(2030, 0, 1, 12);
	const start = async () => {
		const clock = { now: () => now, elapsed: () => now, sleep: async () => await Promise.resolve() };
		const journal = createJournal(
			{ row, clock, isShared: false, onFailure: () => {} },
			{ writesWithinMs: 1e9 },
		);
		const room = createRoom(journal, clock);
		await room.open();
		/** Sends together, and returns how many are sent and refused, and which were done before. */
		const send = async (ids: readonly string[]) => {
			const found = [...(await journal.begin(ids.map((id) => ({ id }))))];
			const idsIn = (wanted: State) => found.flatMap(([id, { state }]) => (state === wanted ? [id] : []));
			const absent = idsIn('absent');
			const isRoom = absent.length === 0 || (await room.admits(absent.length));
			if (isRoom) journal.finish(...absent);
			else journal.cancel(...absent);
			await journal.flush();
			const [sent, refused] = isRoom ? [absent.length, 0] : [0, absent.length];
			return { sent, refused, before: idsIn('done') };
		};
		return { room, send };
	};
	/** Returns how many were sent, done before and refused, and how many keys were dropped. */
	const run = async (ids: readonly string[]) => {
		const { room, send } = await start();
		const [counts, before] = [{ sent: 0, before: 0, refused: 0 }, [] as string[]];
		for (let from = 0; from < ids.length; from += 125) {
			const part = await send(ids.slice(from, from + 125));
			before.push(...part.before);
			counts.sent += part.sent;
			counts.refused += part.refused;
		}
		return { ...counts, before: before.length, dropped: await room.trim(before) };
	};
	const pass = (ms: number) => void (now += ms);
	return { row, start, run, pass };
}

const ids = (count: number, name = 'a', from = 0) =>
	Array.from({ length: count }, (_, index) => `${name} ${from + index}`);
const sent = (count: number) => ({ sent: count, before: 0, refused: 0, dropped: 0 });
const known = (count: number) => ({ sent: 0, before: count, refused: 0, dropped: 0 });

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
	// The marks of the day have moved with its facts.
	expect((await run(ids(15_000, 'c'))).refused).toBeGreaterThan(3_500);
	expect(await run(ids(30_000, 'b'))).toEqual(known(30_000));
});

test('a row that is short enough is not read', async () => {
	const { row, start } = startNode();
	for (const id of ids(39_875)) row.keys.add(`known ${id}`);
	const { room } = await start();
	const { calls } = row;
	expect(await room.admits(125)).toBe(true);
	expect(row.calls).toBe(calls);
});

test('a row takes as many as it has room for, also after it refused more', async () => {
	const { row, start, pass } = startNode();
	await start();
	for (const id of ids(40_498)) row.keys.add(`known ${id}`);
	pass(DAY);
	const { send } = await start();
	// Each key that is recorded counts until the execution ends.
	const parts = [251, 249, 1].map((count) => ids(count, `b ${count}`));
	const refused: number[] = [];
	for (const part of parts) refused.push((await send(part)).refused);
	expect(refused).toEqual([251, 0, 1]);
});

test.each([
	['hardly too long keeps all, and is not read', 40_999, 0, 0],
	['too long drops what is worth that it is written', 41_000, 0, 1_000],
	['too long keeps all if most of it must stay', 41_800, 41_000, 0],
])('a row that is %s', async (_, length, young, dropped) => {
	const { row, start } = startNode();
	for (const id of ids(length - young - 1, 'old')) row.keys.add(`known ${id}`);
	const { room } = await start();
	for (const id of ids(young)) row.keys.add(`known ${id}`);
	await room.open();
	const { calls } = row;

	expect(await room.trim([])).toBe(dropped);

	expect([...row.keys].filter((key) => /^(known|day) /.test(key))).toHaveLength(length - dropped);
	if (length === 40_999) expect(row.calls).toBe(calls);
});

test('a day that begins with the longest row is known, too', async () => {
	const { row, start } = startNode();
	for (const id of ids(2 * CAPACITY + 1_000, 'old')) row.keys.add(`known ${id}`);
	for (const id of ids(CAPACITY + 1_000, 'yesterday')) row.keys.add(`known ${id}`);
	const { room } = await start();
	for (const id of ids(CAPACITY + 1_000, 'today')) row.keys.add(`known ${id}`);
	expect(await room.admits(1)).toBe(false);
});

test('what an execution asks for does not go, however old it is', async () => {
	const { row, run, pass } = startNode();
	await run(ids(20_000));
	pass(3 * DAY);
	await run(ids(15_000, 'b'));
	pass(3 * DAY);
	const all = [...ids(20_000, 'c'), ...ids(20_000)];
	expect(await run(all)).toMatchObject({ sent: 20_000, before: 20_000, refused: 0 });
	expect((await run(ids(5_000, 'd'))).refused).toBeGreaterThan(3_500);
	expect(await run(all)).toMatchObject({ sent: 0, before: 40_000, refused: 0 });
	// If n8n is killed meanwhile, of no more it is unknown whether they were sent.
	expect(row.mostOpened).toBeLessThanOrEqual(250);
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
