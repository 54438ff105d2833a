import { createCombiner } from '../../../../nodes/MessagingChannel/trigger/combining/combiner';

const BUSY = { maxEvents: 100, maxWaitMs: 5_000 };
const SILENT = { silenceMs: 3_000, maxWaitMs: 14_000 };

const MB = 1024 * 1024;

/** How long the senders of several events are waited for. */
const RETURN_MS = 250;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => {
	expect(jest.getTimerCount()).toBe(0);
	jest.useRealTimers();
});

const pass = async (ms: number) => await jest.advanceTimersByTimeAsync(ms);

/** The deliveries of one trigger. */
function deliveries(limits = BUSY) {
	const sleep = async (ms: number, signal?: AbortSignal) =>
		await new Promise<void>((resolve, reject) => {
			const timer = setTimeout(resolve, ms);
			signal?.addEventListener('abort', () => (clearTimeout(timer), reject(new Error('aborted'))));
		});
	const combiner = createCombiner({ elapsed: Date.now, sleep });
	const settled: Record<string, boolean> = {};
	const answers: Record<string, boolean> = {};
	/** What has started, by its events, and what n8n says to it. */
	const started: Array<{ ids: string; settle: (wasAccepted: boolean) => void }> = [];
	const receive = async (id: string, chat?: string, bytes = 100) => {
		const settle = (wasAccepted: boolean) => void (settled[id] = wasAccepted);
		const event = { item: { json: { id } }, isWanted: true, bytes, settle };
		const joined = await (chat === undefined
			? combiner.whenBusy(event, limits)
			: combiner.perChat(chat, event, SILENT));
		if ('wasAccepted' in joined) answers[id] = joined.wasAccepted;
		else started.push({ ids: joined.events.map(({ item }) => item.json.id).join(), settle: joined.settle });
	};
	/** Some events, all at once if they are given at once. */
	const deliver = async (ids: string, chat?: string, bytes?: number) => {
		for (const id of ids.split(' ')) void receive(id, chat, bytes);
		await pass(0);
	};
	const store = async (index: number, wasAccepted = true) => {
		started[index]?.settle(wasAccepted);
		await pass(0);
	};
	return { deliver, store, settled, answers, ids: () => started.map(({ ids }) => ids), combiner };
}

describe('when n8n is busy', () => {
	test('an event that comes alone goes at once, however many come one after the other', async () => {
		const { deliver, store, ids } = deliveries();
		for (const id of ['a', 'b', 'c']) {
			await deliver(id);
			await store(ids().length - 1);
		}
		expect(ids()).toEqual(['a', 'b', 'c']);
	});

	test('events that come while n8n stores an execution go together into the next one', async () => {
		const { deliver, store, ids, settled, answers } = deliveries();
		await deliver('a b c d');
		expect(ids()).toEqual(['a']);

		await store(0);
		await pass(RETURN_MS);
		expect(ids()).toEqual(['a', 'b,c,d']);
		expect([settled, answers]).toEqual([{ a: true }, {}]);
		await deliver('e');

		await store(1);
		expect(settled).toEqual({ a: true, b: true, c: true, d: true });
		expect(answers).toEqual({ c: true, d: true });
		await pass(RETURN_MS);
		expect(ids()).toEqual(['a', 'b,c,d', 'e']);
	});

	test('the next execution starts once the senders of the last one have delivered again', async () => {
		const { deliver, store, ids } = deliveries();
		await deliver('a1 b1 c1');
		await store(0);
		expect(ids()).toEqual(['a1']);
		await deliver('a2');
		expect(ids()).toEqual(['a1', 'b1,c1,a2']);

		await store(1);
		await deliver('a3 b2');
		expect(ids()).toHaveLength(2);
		await deliver('c2');
		expect(ids()[2]).toBe('a3,b2,c2');
	});

	test('senders that deliver nothing more are not waited for again', async () => {
		const { deliver, store, ids } = deliveries();
		await deliver('a b c');
		await store(0);
		await pass(RETURN_MS);
		await store(1);
		await deliver('d');
		expect(ids()).toEqual(['a', 'b,c']);
		await pass(RETURN_MS);
		expect(ids()[2]).toBe('d');

		await store(2);
		await deliver('e');
		expect(ids()[3]).toBe('e');
	});

	test('all events of an execution that n8n did not store are refused, and the next ones go', async () => {
		const { deliver, store, ids, settled, answers } = deliveries();
		await deliver('a b c');
		await store(0, false);
		await deliver('d');
		await store(1, false);

		expect(settled).toEqual({ a: false, b: false, c: false });
		expect(answers).toEqual({ c: false });
		expect(ids()).toEqual(['a', 'b,c', 'd']);
	});

	test('a full group does not wait for n8n', async () => {
		const { deliver, store, ids, answers } = deliveries({ ...BUSY, maxEvents: 3 });
		for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) await deliver(id);
		expect(ids()).toEqual(['a', 'b,c,d', 'e,f,g']);

		// The last group waits for the latest execution.
		await store(0);
		expect(ids()).toHaveLength(3);
		await store(2);
		await pass(RETURN_MS);
		expect(ids()[3]).toBe('h');
		await store(1);
		expect(answers).toEqual({ c: true, d: true, f: true, g: true });
	});

	test('an earlier execution that n8n stores late changes nothing about who is expected', async () => {
		const { deliver, store, ids } = deliveries();
		await deliver('a');
		await deliver('b c', undefined, 8 * MB);
		await deliver('d');
		expect(ids()).toEqual(['a', 'b,c']);

		await store(1);
		await store(0);
		await deliver('e');
		expect(ids()).toHaveLength(2);
		await deliver('f');

		expect(ids()[2]).toBe('d,e,f');
	});

	test('events that come while a full group goes wait together', async () => {
		const { deliver, store, ids } = deliveries({ ...BUSY, maxEvents: 3 });
		await deliver('a');
		await deliver('b c d e');
		await deliver('f');
		expect(ids()).toEqual(['a', 'b,c,d']);

		await store(0);

		expect(ids()[2]).toBe('e,f');
	});

	test('groups of one event, or of one as large as a group, wait for nothing', async () => {
		const one = deliveries({ ...BUSY, maxEvents: 1 });
		await one.deliver('a b c');
		expect(one.ids()).toEqual(['a', 'b', 'c']);
		const large = deliveries();
		await large.deliver('a b c', undefined, 16 * MB);
		expect(large.ids()).toEqual(['a', 'b', 'c']);
	});

	test('events do not wait for an n8n that holds an execution back', async () => {
		const { deliver, ids } = deliveries();
		await deliver('a b c');
		await pass(4_999);
		expect(ids()).toEqual(['a']);
		await pass(1);
		expect(ids()).toEqual(['a', 'b,c']);
		await deliver('d');
		expect(ids()).toHaveLength(2);
		await pass(5_000);
	});
});

describe('per chat', () => {
	test('the messages of a chat go together once it is silent', async () => {
		const { deliver, store, ids, settled, answers } = deliveries();
		await deliver('1', 'a');
		await pass(2_999);
		await deliver('2', 'a');
		await pass(2_999);
		expect(ids()).toEqual([]);
		await pass(1);
		expect(ids()).toEqual(['1,2']);
		expect(answers).toEqual({});

		await store(0);
		expect([settled, answers]).toEqual([{ 1: true, 2: true }, { 2: true }]);
		// What comes now waits for the next silence.
		await deliver('3', 'a');
		expect(ids()).toHaveLength(1);
		await pass(3_000);
		expect(ids()[1]).toBe('3');
	});

	test('nobody waits longer than the service does', async () => {
		const { deliver, ids } = deliveries();
		for (let id = 0; id < 10; id++) {
			await deliver(String(id), 'a');
			await pass(1_500);
		}
		expect(ids()).toEqual(['0,1,2,3,4,5,6,7,8,9']);
	});

	test('chats do not wait for each other', async () => {
		const { deliver, ids } = deliveries();
		await deliver('1', 'a');
		await pass(1_000);
		await deliver('2', 'b');
		await pass(2_000);
		expect(ids()).toEqual(['1']);
		await pass(1_000);
		expect(ids()).toEqual(['1', '2']);
	});

	test('when too many wait, the chat that has waited longest goes', async () => {
		const { deliver, ids } = deliveries();
		await deliver('a1 a2', 'a');
		for (let chat = 0; chat < 58; chat++) await deliver(String(chat), `chat ${chat}`);
		expect(ids()).toEqual([]);
		await deliver('x', 'one more');
		expect(ids()).toEqual(['a1,a2']);
		await pass(3_000);
		expect(ids()).toHaveLength(60);
	});

	test('the messages of one chat that are too many or too large go at once, and those after them wait', async () => {
		const { deliver, ids } = deliveries();
		await deliver(Array.from({ length: 60 }, () => 'x').join(' '), 'a');
		await deliver('1 2 3', 'b', 8 * MB);
		await deliver('4', 'b');
		expect(ids().map(({ length }) => length)).toEqual([119, 3]);
		await pass(3_000);
		expect(ids()[2]).toBe('3,4');
	});

	test('all go when the trigger is unpublished', async () => {
		const { deliver, ids, combiner } = deliveries();
		await deliver('1', 'a');
		await deliver('2 3', 'b');
		combiner.flush();
		await pass(0);
		expect(ids()).toEqual(['1', '2,3']);
	});
});
