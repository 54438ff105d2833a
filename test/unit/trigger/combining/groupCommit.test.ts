import type { Joined } from '../../../../nodes/MessagingChannel/trigger/combining/eventGroup';
import { createGroupCommit } from '../../../../nodes/MessagingChannel/trigger/combining/groupCommit';

const LIMITS = { maxEvents: 100, maxWaitMs: 5_000 };

const MB = 1024 * 1024;

/** How long the senders of several events are waited for. */
const RETURN_MS = 250;

/** The deliveries of one trigger. */
function deliveries(limits = LIMITS) {
	const sleeps: Array<{ ms: number; end: () => void; isOver: boolean }> = [];
	const sleep = async (ms: number, signal?: AbortSignal) =>
		await new Promise<void>((resolve, reject) => {
			const entry = { ms, isOver: false, end: () => ((entry.isOver = true), resolve()) };
			signal?.addEventListener('abort', () => ((entry.isOver = true), reject(new Error('aborted'))));
			sleeps.push(entry);
		});
	const groupCommit = createGroupCommit({ sleep });
	const settled: Record<string, boolean[]> = {};
	const started: Array<{ ids: string[]; settle: (wasAccepted: boolean) => void }> = [];
	const answers: Record<string, boolean> = {};
	const deliver = async (id: string, bytes = 100) => {
		const waiting = {
			item: { json: { id } },
			bytes,
			settle: (wasAccepted: boolean) => void (settled[id] ??= []).push(wasAccepted),
		};
		void groupCommit.join(waiting, limits).then((joined: Joined) => {
			if ('wasAccepted' in joined) answers[id] = joined.wasAccepted;
			else
				started.push({
					ids: joined.group.items.map(({ json }) => String(json.id)),
					settle: (wasAccepted) => joined.group.settle(wasAccepted),
				});
		});
		await new Promise(setImmediate);
	};
	const store = async (index: number, wasAccepted = true) => {
		started[index]?.settle(wasAccepted);
		await new Promise(setImmediate);
	};
	/** Lets all waits of so many milliseconds end that are not over yet. */
	const pass = async (ms: number) => {
		for (const wait of sleeps) if (wait.ms === ms && !wait.isOver) wait.end();
		await new Promise(setImmediate);
	};
	return { deliver, store, pass, sleeps, settled, answers, ids: () => started.map(({ ids }) => ids) };
}

test('an event that comes alone goes at once, however many come one after the other', async () => {
	const { deliver, store, ids, sleeps } = deliveries();
	for (const id of ['a', 'b', 'c']) {
		await deliver(id);
		await store(ids().length - 1);
	}
	expect(ids()).toEqual([['a'], ['b'], ['c']]);
	expect(sleeps).toEqual([]);
});

test('events that come while n8n stores an execution go together into the next one', async () => {
	const { deliver, store, pass, ids, settled, answers, sleeps } = deliveries();
	for (const id of ['a', 'b', 'c', 'd']) await deliver(id);
	expect(ids()).toEqual([['a']]);

	await store(0);
	await pass(RETURN_MS);
	expect(ids()).toEqual([['a'], ['b', 'c', 'd']]);
	expect([settled, answers]).toEqual([{ a: [true] }, {}]);
	await deliver('e');

	await store(1);
	expect(settled).toEqual({ a: [true], b: [true], c: [true], d: [true] });
	expect(answers).toEqual({ c: true, d: true });
	await pass(RETURN_MS);
	expect(ids()).toEqual([['a'], ['b', 'c', 'd'], ['e']]);
	await store(2);
	expect(sleeps.every(({ isOver }) => isOver)).toBe(true);
});

test('the next execution starts once the senders of the last one have delivered again', async () => {
	const { deliver, store, ids, sleeps } = deliveries();
	for (const id of ['a1', 'b1', 'c1']) await deliver(id);
	await store(0);
	expect(ids()).toEqual([['a1']]);
	await deliver('a2');
	expect(ids()).toEqual([['a1'], ['b1', 'c1', 'a2']]);

	await store(1);
	for (const id of ['a3', 'b2']) await deliver(id);
	expect(ids()).toHaveLength(2);
	await deliver('c2');
	expect(ids()[2]).toEqual(['a3', 'b2', 'c2']);
	expect(sleeps.every(({ isOver }) => isOver)).toBe(true);
});

test('senders that deliver nothing more are not waited for again', async () => {
	const { deliver, store, pass, ids } = deliveries();
	for (const id of ['a', 'b', 'c']) await deliver(id);
	await store(0);
	await pass(RETURN_MS);
	await store(1);
	await deliver('d');
	expect(ids()).toEqual([['a'], ['b', 'c']]);
	await pass(RETURN_MS);
	expect(ids()[2]).toEqual(['d']);

	await store(2);
	await deliver('e');
	expect(ids()[3]).toEqual(['e']);
});

test('an event that comes alone some time after others goes at once', async () => {
	const { deliver, store, pass, ids } = deliveries();
	for (const id of ['a', 'b', 'c']) await deliver(id);
	await store(0);
	await pass(RETURN_MS);
	await store(1);
	await pass(RETURN_MS);
	await deliver('d');
	expect(ids()).toEqual([['a'], ['b', 'c'], ['d']]);
});

test('all events of an execution that n8n did not store are refused, and the next ones go', async () => {
	const { deliver, store, ids, settled, answers } = deliveries();
	for (const id of ['a', 'b', 'c']) await deliver(id);
	await store(0, false);
	await deliver('d');
	await store(1, false);

	expect(settled).toEqual({ a: [false], b: [false], c: [false] });
	expect(answers).toEqual({ c: false });
	expect(ids()).toEqual([['a'], ['b', 'c'], ['d']]);
});

test('a full group does not wait for n8n', async () => {
	const { deliver, store, pass, ids, answers, sleeps } = deliveries({ ...LIMITS, maxEvents: 3 });
	for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) await deliver(id);
	expect(ids()).toEqual([['a'], ['b', 'c', 'd'], ['e', 'f', 'g']]);
	expect(sleeps.map(({ isOver }) => isOver)).toEqual([true, true, false]);

	// The last group waits for the latest execution.
	await store(0);
	expect(ids()).toHaveLength(3);
	await store(2);
	await pass(RETURN_MS);
	expect(ids()[3]).toEqual(['h']);
	await store(1);
	expect(answers).toEqual({ c: true, d: true, f: true, g: true });
});

test('an event waits for the latest execution, also when n8n has stored an earlier one', async () => {
	const { deliver, store, ids } = deliveries({ ...LIMITS, maxEvents: 2 });
	for (const id of ['a', 'b', 'c']) await deliver(id);
	expect(ids()).toEqual([['a'], ['b', 'c']]);

	await store(0);
	await deliver('d');

	expect(ids()).toHaveLength(2);
});

test('an earlier execution that n8n stores late changes nothing about who is expected', async () => {
	const { deliver, store, ids } = deliveries();
	await deliver('a');
	await deliver('b', 15 * MB);
	await deliver('c', MB);
	await deliver('d');
	expect(ids()).toEqual([['a'], ['b', 'c']]);

	await store(1);
	await store(0);
	await deliver('e');
	expect(ids()).toHaveLength(2);
	await deliver('f');

	expect(ids()[2]).toEqual(['d', 'e', 'f']);
});

test('events that come while a full group goes wait together', async () => {
	const { deliver, store, ids } = deliveries({ ...LIMITS, maxEvents: 3 });
	await deliver('a');
	await Promise.all(['b', 'c', 'd', 'e'].map(async (id) => await deliver(id)));
	await deliver('f');
	expect(ids()).toEqual([['a'], ['b', 'c', 'd']]);

	await store(0);

	expect(ids()[2]).toEqual(['e', 'f']);
});

test('a group of 16 MB is full', async () => {
	const { deliver, ids } = deliveries();
	await deliver('a');
	await deliver('b', 15 * MB);
	expect(ids()).toEqual([['a']]);
	await deliver('c', MB);
	expect(ids()).toEqual([['a'], ['b', 'c']]);
	await deliver('d', 16 * MB);
	expect(ids()[2]).toEqual(['d']);
});

test('groups of one event wait for nothing', async () => {
	const { deliver, ids } = deliveries({ ...LIMITS, maxEvents: 1 });
	for (const id of ['a', 'b', 'c']) await deliver(id);
	expect(ids()).toEqual([['a'], ['b'], ['c']]);
});

test('events do not wait for an n8n that holds an execution back', async () => {
	const { deliver, ids, sleeps } = deliveries();
	for (const id of ['a', 'b', 'c']) await deliver(id);
	expect(sleeps.map(({ ms }) => ms)).toEqual([5_000]);

	sleeps[0]?.end();
	await new Promise(setImmediate);

	expect(ids()).toEqual([['a'], ['b', 'c']]);
	await deliver('d');
	expect(ids()).toHaveLength(2);
});

test('the first answer of n8n counts', async () => {
	const { deliver, store, settled } = deliveries();
	await deliver('a');
	await store(0, true);
	await store(0, false);
	expect(settled).toEqual({ a: [true] });
});
