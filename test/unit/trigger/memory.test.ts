import { createMemory, MEMORY_MS } from '../../../nodes/MessagingChannel/trigger/memory';

const now = 1_000_000;
const begin = (memory = createMemory(), keys = ['id 1', 'body 1'], at = now) => memory.begin(keys, at);

test('lets an event through once, whichever of its keys comes again', () => {
	const memory = createMemory();
	expect(begin(memory).isNew).toBe(true);
	expect(begin(memory).isNew).toBe(false);
	expect(begin(memory, ['id 2', 'body 1']).isNew).toBe(false);
	expect(begin(memory, ['id 1']).isNew).toBe(false);
	expect(begin(memory, ['id 2', 'body 2']).isNew).toBe(true);
});

test('a recognised event leaves no keys of its own', () => {
	const memory = createMemory();
	begin(memory, ['id 1', 'body 1']);
	begin(memory, ['id 2', 'body 1']);
	expect(begin(memory, ['id 2', 'body 2']).isNew).toBe(true);
});

test('tells a second delivery what became of the first', async () => {
	const memory = createMemory();
	const first = begin(memory);
	const second = begin(memory);
	if (!first.isNew || second.isNew) throw new Error('It was not recognised');
	expect(second.mark.isTaken).toBe(false);
	first.settle(true);
	expect(second.mark.isTaken).toBe(true);
	await expect(second.mark.outcome).resolves.toBe(true);
	expect(begin(memory).isNew).toBe(false);
});

test('forgets an event that n8n could not take', async () => {
	const memory = createMemory();
	const first = begin(memory);
	const second = begin(memory);
	if (!first.isNew || second.isNew) throw new Error('It was not recognised');
	first.settle(false);
	await expect(second.mark.outcome).resolves.toBe(false);
	expect(begin(memory).isNew).toBe(true);
});

test('an event that was forgotten and comes again is not forgotten with its first delivery', () => {
	const memory = createMemory(2);
	const first = begin(memory);
	begin(memory, ['id 2', 'body 2']);
	begin(memory, ['id 3', 'body 3']);
	expect(begin(memory).isNew).toBe(true);
	if (first.isNew) first.settle(false);
	expect(begin(memory).isNew).toBe(false);
});

test('remembers for twice the tolerance, and not longer', () => {
	const memory = createMemory();
	begin(memory);
	expect(MEMORY_MS).toBe(600_000);
	expect(begin(memory, undefined, now + MEMORY_MS).isNew).toBe(false);
	expect(begin(memory, undefined, now + MEMORY_MS + 1).isNew).toBe(true);
	expect(begin(memory, undefined, now + MEMORY_MS + 2).mark.at).toBe(now + MEMORY_MS + 1);
});

test('does not grow beyond its bound, and forgets the oldest first', () => {
	const memory = createMemory(100);
	for (let event = 0; event < 1_000; event++) begin(memory, [`id ${event}`, `body ${event}`], now + event);
	// The latest first: what is not known takes the place of the oldest.
	const known = Array.from({ length: 1_000 }, (_, index) => 999 - index).filter(
		(event) => !begin(memory, [`id ${event}`], now + 1_000).isNew,
	);
	expect(known).toEqual(Array.from({ length: 100 }, (_, index) => 999 - index));
});
