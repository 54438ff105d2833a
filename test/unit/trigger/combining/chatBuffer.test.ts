import { createChatBuffer } from '../../../../nodes/MessagingChannel/trigger/combining/chatBuffer';

const LIMITS = { silenceMs: 3_000, maxWaitMs: 14_000 };

beforeEach(() => void jest.useFakeTimers());
afterEach(() => {
	expect(jest.getTimerCount()).toBe(0);
	jest.useRealTimers();
});

/** The messages of one trigger. */
function messages() {
	const sleep = async (ms: number, signal?: AbortSignal) =>
		await new Promise<void>((resolve, reject) => {
			const timer = setTimeout(resolve, ms);
			signal?.addEventListener('abort', () => (clearTimeout(timer), reject(new Error('aborted'))));
		});
	const buffer = createChatBuffer({ now: Date.now, sleep });
	const started: string[][] = [];
	const settles: Array<(wasAccepted: boolean) => void> = [];
	const settled: Record<string, boolean> = {};
	const answers: Record<string, boolean> = {};
	const receive = async (chat: string, id: string, bytes = 100) => {
		const settle = (wasAccepted: boolean) => void (settled[id] = wasAccepted);
		void buffer.join(chat, { item: { json: { id } }, bytes, settle }, LIMITS).then((joined) => {
			if ('wasAccepted' in joined) answers[id] = joined.wasAccepted;
			else {
				started.push(joined.group.items.map(({ json }) => String(json.id)));
				settles.push((wasAccepted) => joined.group.settle(wasAccepted));
			}
		});
		await pass(0);
	};
	const pass = async (ms: number) => await jest.advanceTimersByTimeAsync(ms);
	return { receive, pass, started, settles, settled, answers, flush: () => buffer.flush() };
}

test('the messages of a chat go together once it is silent', async () => {
	const { receive, pass, started, settles, settled, answers } = messages();
	await receive('a', '1');
	await pass(2_999);
	await receive('a', '2');
	await pass(2_999);
	expect(started).toEqual([]);
	await pass(1);
	expect(started).toEqual([['1', '2']]);
	expect(answers).toEqual({});

	settles[0]?.(true);
	await pass(0);
	expect([settled, answers]).toEqual([{ 1: true, 2: true }, { 2: true }]);
});

test('nobody waits longer than the service does', async () => {
	const { receive, pass, started } = messages();
	for (let id = 0; id < 10; id++) {
		await receive('a', String(id));
		await pass(1_500);
	}
	expect(started).toEqual([Array.from({ length: 10 }, (_, id) => String(id))]);
});

test('nobody waits longer when the clock is set back', async () => {
	const { receive, pass, started } = messages();
	await receive('a', '1');
	await pass(1_000);
	jest.setSystemTime(Date.now() - 3_600_000);
	await pass(12_999);
	expect(started).toEqual([]);
	await pass(1);
	expect(started).toEqual([['1']]);
});

test('a message that comes after its chat has gone waits for the next silence', async () => {
	const { receive, pass, started } = messages();
	await receive('a', '1');
	await pass(3_000);
	await receive('a', '2');
	expect(started).toEqual([['1']]);
	await pass(3_000);
	expect(started).toEqual([['1'], ['2']]);
});

test('chats do not wait for each other', async () => {
	const { receive, pass, started } = messages();
	await receive('a', '1');
	await pass(1_000);
	await receive('b', '2');
	await pass(2_000);
	expect(started).toEqual([['1']]);
	await pass(1_000);
	expect(started).toEqual([['1'], ['2']]);
});

test('when too many wait, the chat that has waited longest goes', async () => {
	const { receive, pass, started } = messages();
	await receive('a', 'a1');
	await receive('a', 'a2');
	for (let chat = 0; chat < 58; chat++) await receive(`chat ${chat}`, String(chat));
	expect(started).toEqual([]);
	await receive('one more', 'x');
	expect(started).toEqual([['a1', 'a2']]);
	await pass(3_000);
	expect(started).toHaveLength(60);
});

test('the messages of one chat that are too many or too large go at once', async () => {
	const { receive, pass, started } = messages();
	for (let id = 0; id < 60; id++) await receive('a', String(id));
	expect(started.map(({ length }) => length)).toEqual([60]);
	await receive('b', '1');
	await receive('b', '2', 16 * 1024 * 1024);
	expect(started[1]).toEqual(['1', '2']);
	await pass(3_000);
});

test('all go when the trigger is unpublished', async () => {
	const { receive, pass, started, flush } = messages();
	await receive('a', '1');
	await receive('b', '2');
	await receive('b', '3');
	flush();
	await pass(0);
	expect(started).toEqual([['1'], ['2', '3']]);
});

test('what comes after a full group waits for the silence of its chat', async () => {
	const { receive, pass, started } = messages();
	const MB = 1024 * 1024;
	await receive('a', '1');
	// The group goes at once, while the wait of its first message ends.
	void receive('a', '2', 16 * MB);
	void receive('a', '3');
	await pass(0);
	await receive('a', '4');
	expect(started).toEqual([['1', '2']]);
	await pass(3_000);
	expect(started).toEqual([
		['1', '2'],
		['3', '4'],
	]);
});
