import { createMemory, MEMORY_MS, type Memory } from '../../../nodes/MessagingChannel/trigger/memory';

const now = 1_000_000;
const begin = (memory = createMemory(), keys = ['id 1', 'message 1'], at = now) => memory.begin(keys, at);

test('lets an event through once, whichever of its keys comes again', () => {
	const memory = createMemory();
	expect(begin(memory).isNew).toBe(true);
	expect(begin(memory).isNew).toBe(false);
	expect(begin(memory, ['id 2', 'message 1']).isNew).toBe(false);
	expect(begin(memory, ['id 1']).isNew).toBe(false);
	expect(begin(memory, ['id 2', 'message 2']).isNew).toBe(true);
});

test('a recognised event leaves no keys of its own', () => {
	const memory = createMemory();
	begin(memory, ['id 1', 'message 1']);
	begin(memory, ['id 2', 'message 1']);
	expect(begin(memory, ['id 2', 'message 2']).isNew).toBe(true);
});

test('tells a second delivery what became of the first', async () => {
	const memory = createMemory();
	const first = begin(memory);
	const second = begin(memory);
	if (!first.isNew || second.isNew) throw new Error('It was not recognised');
	expect(second.mark.isTaken).toBe(false);
	first.settle(true, now);
	expect(second.mark.isTaken).toBe(true);
	await expect(second.mark.outcome).resolves.toBe(true);
	expect(begin(memory).isNew).toBe(false);
});

test('forgets an event that n8n could not take', async () => {
	const memory = createMemory();
	const first = begin(memory);
	const second = begin(memory);
	if (!first.isNew || second.isNew) throw new Error('It was not recognised');
	first.settle(false, now);
	await expect(second.mark.outcome).resolves.toBe(false);
	expect(begin(memory).isNew).toBe(true);
});

/** An event that n8n took. */
const take = (memory: Memory, keys: string[], at = now) => {
	const begun = memory.begin(keys, at);
	if (begun.isNew) begun.settle(true, at);
};

test('remembers for twice the tolerance after n8n took it, and not longer', () => {
	const memory = createMemory();
	const first = begin(memory);
	const takenAt = now + 5_000;
	if (first.isNew) first.settle(true, takenAt);
	expect(MEMORY_MS).toBe(600_000);
	expect(begin(memory, undefined, takenAt + MEMORY_MS).isNew).toBe(false);
	expect(begin(memory, undefined, takenAt + MEMORY_MS + 1).isNew).toBe(true);
	expect(begin(memory, undefined, takenAt + MEMORY_MS + 2).mark.at).toBe(takenAt + MEMORY_MS + 1);
});

test('does not grow beyond its bound, and forgets first what was taken first', () => {
	const memory = createMemory(100);
	for (let event = 0; event < 1_000; event++) take(memory, [`id ${event}`, `message ${event}`], now + event);
	const known = Array.from({ length: 1_000 }, (_, event) => event).filter(
		(event) => !begin(memory, [`id ${event}`], now + 1_000).isNew,
	);
	expect(known).toEqual(Array.from({ length: 100 }, (_, index) => 900 + index));
});

describe('an event that n8n has not answered', () => {
	test('is not forgotten for the many that are taken meanwhile', () => {
		const memory = createMemory(2);
		begin(memory);
		for (let event = 2; event < 10; event++) take(memory, [`id ${event}`]);
		expect(begin(memory).isNew).toBe(false);
	});

	test('is not forgotten for as long as n8n may hold it back', () => {
		const memory = createMemory();
		begin(memory);
		expect(begin(memory, undefined, now + 30 * 24 * 3_600_000).isNew).toBe(false);
	});
});

test('what n8n said first of an event counts', () => {
	const memory = createMemory();
	const first = begin(memory);
	if (!first.isNew) throw new Error('It is not new');
	first.settle(true, now);
	first.settle(false, now + 1);
	expect(begin(memory)).toMatchObject({ isNew: false, mark: { isTaken: true } });
});
