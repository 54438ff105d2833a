import { createMemory } from '../../../nodes/MessagingChannel/trigger/memory';
import { createRecall } from '../../../nodes/MessagingChannel/trigger/recall';
import { row } from './row';

/** A process of n8n, with a memory and a recall of its own. */
function life() {
	const memory = createMemory();
	const waits: Array<() => void> = [];
	const failures: unknown[] = [];
	const recall = createRecall(
		async () => await new Promise<void>((resolve) => waits.push(resolve)),
		(error) => failures.push(error),
	);
	const taken = (id: string) => {
		memory.begin([`id ${id}`, `body ${id}`], 0);
		const mark = memory.find(`id ${id}`);
		if (!mark) throw new Error('It was not marked');
		return mark;
	};
	const passTime = async () => {
		for (let turns = 0; turns < 20; turns++) {
			waits.splice(0).forEach((resolve) => resolve());
			await new Promise(setImmediate);
		}
	};
	return { recall, taken, passTime, failures };
}

test('an event that was done is recognised by the next process, by either key', async () => {
	const { store } = row();
	const first = life();
	expect(await first.recall.wasDone(first.taken('1'), store)).toBe(false);
	first.recall.remember(first.taken('1'), store);
	await first.passTime();
	const second = life();
	expect(await second.recall.wasDone(second.taken('1'), store)).toBe(true);
	expect(await second.recall.wasDone(second.taken('2'), store)).toBe(false);
});

test('an event that was only seen when n8n was killed runs again', async () => {
	const { store } = row();
	const first = life();
	expect(await first.recall.wasDone(first.taken('1'), store)).toBe(false);
	first.recall.remember(first.taken('1'), store);
	const second = life();
	expect(await second.recall.wasDone(second.taken('1'), store)).toBe(false);
});

test('a run that n8n makes twice in one process does not find its own mark', async () => {
	const { store } = row();
	const { recall, taken, passTime } = life();
	const mark = taken('1');
	expect(await recall.wasDone(mark, store)).toBe(false);
	recall.remember(mark, store);
	await passTime();
	expect(await recall.wasDone(mark, store)).toBe(false);
});

test('a burst is asked and recorded in a few calls, never two at once, and loses nothing', async () => {
	const { state, store } = row();
	const first = life();
	const marks = Array.from({ length: 200 }, (_, index) => first.taken(String(index)));
	await Promise.all(marks.map(async (mark) => await first.recall.wasDone(mark, store)));
	for (const mark of marks) first.recall.remember(mark, store);
	await first.passTime();
	expect(first.failures).toEqual([]);
	expect(state.calls).toBeLessThan(5);
	const second = life();
	const known = await Promise.all(
		marks.map(async (_, index) => await second.recall.wasDone(second.taken(String(index)), store)),
	);
	expect(known).toEqual(Array(200).fill(true));
});

test('a database that fails lets the event through and is told', async () => {
	const { state, store } = row();
	const { recall, taken, passTime, failures } = life();
	state.isBroken = true;
	expect(await recall.wasDone(taken('1'), store)).toBe(false);
	recall.remember(taken('1'), store);
	await passTime();
	expect(failures).toHaveLength(2);
	state.isBroken = false;
	expect(await recall.wasDone(taken('2'), store)).toBe(false);
});

test('an event that was only remembered is recognised, too', async () => {
	const { store } = row();
	const first = life();
	first.recall.remember(first.taken('1'), store);
	await first.passTime();
	const second = life();
	expect(await second.recall.wasDone(second.taken('1'), store)).toBe(true);
});

test('the database is asked once for a new event, and twice for one that was seen', async () => {
	const { state, store } = row();
	const first = life();
	await first.recall.wasDone(first.taken('1'), store);
	await first.passTime();
	expect(state.calls).toBe(1);
	const second = life();
	await second.recall.wasDone(second.taken('1'), store);
	await second.passTime();
	expect(state.calls).toBe(3);
});

test('events of a moment are written together, and later ones again', async () => {
	const { state, store } = row();
	const { recall, taken, passTime } = life();
	for (const id of ['1', '2', '3']) recall.remember(taken(id), store);
	await passTime();
	expect(state.calls).toBe(1);
	recall.remember(taken('4'), store);
	await passTime();
	expect(state.calls).toBe(2);
	expect([...state.keys]).toEqual(
		expect.arrayContaining(['done id 1', 'done id 3', 'done body 4', 'seen id 4']),
	);
});

test('a burst asks in one call', async () => {
	const { state, store } = row();
	const { recall, taken } = life();
	await Promise.all(['1', '2', '3'].map(async (id) => await recall.wasDone(taken(id), store)));
	expect(state.calls).toBe(1);
});
