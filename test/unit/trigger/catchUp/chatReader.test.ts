import { type ChatWithMessages, parseChat } from '../../../../nodes/MessagingChannel/api/message';
import type { Client } from '../../../../nodes/MessagingChannel/api/client';
import { createChatReader } from '../../../../nodes/MessagingChannel/trigger/catchUp/chatReader';
import { clock } from '../../../../nodes/MessagingChannel/trigger/account/clock';
import { filterOf } from '../delivery/filterOf';

const START = 2_000_000_000;
const selection = { accountId: undefined, filter: filterOf() };

/** The chats of a service: the times of their messages in seconds since the start, or why they cannot be read. */
type Chats = Record<string, number[] | string>;

interface Options {
	pageSize?: number;
	/** How many messages wait for their executions. */
	waiting?: number;
	maxLateSeconds?: number;
	/** How the service writes the time of a message. */
	timestampOf?: (time: number) => unknown;
	/** Whether it lists a message yet. */
	isListed?: (time: number) => boolean;
	/** How it writes that of the latest message of a chat, in whole Unix seconds. */
	latestOf?: (seconds: number) => string | number;
}

/** A reader of these chats, which a test may change. The service's times of chats are whole. */
function newReader(
	chats: Chats,
	{
		pageSize = 200,
		waiting = 0,
		maxLateSeconds,
		timestampOf = (time) => START + time,
		isListed = () => true,
		latestOf = (seconds) => seconds,
	}: Options = {},
) {
	/** The chats that were asked for, and whether only for what came before a time. */
	const asked: Array<[chatId: string, hasEnd: boolean]> = [];
	const call = async ({ parameters }: { parameters: { chatId: string; before?: string; limit: number } }) => {
		const { chatId, before, limit } = parameters;
		asked.push([chatId, before !== undefined]);
		const found = chats[chatId] ?? [];
		if (typeof found === 'string') throw new Error(found);
		const end = before === undefined ? Infinity : Date.parse(before) / 1000;
		const data = found
			.filter((time) => START + time < end && isListed(time))
			.map((time) => ({ id: `${chatId} ${time}`, timestamp: timestampOf(time), from_me: false }))
			.slice(-Math.min(limit, pageSize))
			.reverse();
		return await Promise.resolve({ success: true, data });
	};
	const listed = () =>
		Object.entries(chats).map(([id, found]): ChatWithMessages => {
			const latest = typeof found === 'string' ? 0 : Math.floor(Math.max(...found));
			const chat = parseChat({ id, last_message_at: latestOf(START + latest) });
			return { ...chat, id, lastMessageAt: chat.lastMessageAt ?? NaN };
		});
	const queue = { isOpen: () => true, waiting: () => waiting };
	const reader = createChatReader(queue, 1000, new AbortController().signal, maxLateSeconds);
	/**
	 * A pass that looks for messages of the last hour, at a time in seconds since the start.
	 *
	 * @param deliveredUntil messages that came in later may still be delivered
	 */
	const read = async (now: number, deliveredUntil = now) => {
		const times = {
			now: START + now,
			started: START,
			since: START - 3600,
			deliveredUntil: START + deliveredUntil,
		};
		return await reader.read({ call } as unknown as Client, listed(), times, selection);
	};
	const find = async (now: number, deliveredUntil?: number) =>
		(await read(now, deliveredUntil)).newMessages.map(({ timestamp }) => timestamp - START);
	return { read, find, clear: reader.clear, asked };
}

/** So many chats with these messages. */
const many = (count: number, times: number[]): Chats =>
	Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index}@c.us`, times]));

afterEach(() => jest.restoreAllMocks());

test('a message is found once, also by a process that has forgotten that it ran', async () => {
	const chats = { a: [10, 20] };
	const { find } = newReader(chats);
	expect(await find(30)).toEqual([10, 20]);
	// One of them was listed late.
	chats.a = [10, 15, 20, 90];
	expect(await find(1000)).toEqual([15, 90]);
	chats.a.push(2000);
	expect(await find(3000)).toEqual([2000]);
	// The latest one was deleted.
	chats.a.pop();
	expect(await find(4000)).toEqual([]);
	chats.a.push(5000);
	expect(await find(6000)).toEqual([5000]);
});

test('a later message of the same minute is found where the time of a chat has no seconds', async () => {
	const chats = { a: [10] };
	const latestOf = (seconds: number) => new Date(seconds * 1000).toISOString().replace(/:\d\d\..*/, 'Z');
	const { find, asked } = newReader(chats, { latestOf });
	expect(await find(20)).toEqual([10]);
	chats.a.push(25);
	expect(await find(50)).toEqual([25]);
	asked.length = 0;
	expect(await find(60)).toEqual([]);
	expect(asked).toEqual([]);
});

test('while that minute lasts, chats that were read make no others wait, nor another pass', async () => {
	const latestOf = (seconds: number) => new Date(seconds * 1000).toISOString().replace(/:\d\d\..*/, 'Z');
	const { read } = newReader(many(150, [10]), { latestOf });
	const [first, second, over] = [await read(20), await read(21), await read(42)];

	expect([first.left, second.left, over.left]).toEqual([50, 0, 50]);
	expect([first, second].flatMap(({ newMessages }) => newMessages)).toHaveLength(150);
});

test('a message that may still be delivered is found later where the time of its chat is earlier', async () => {
	const { find } = newReader({ a: [50] }, { latestOf: (seconds) => seconds - 2 });
	expect([await find(169, 49), await find(319, 199)]).toEqual([[], [50]]);
});

test('a chat whose time is hours ahead is not read again and again', async () => {
	const chats = { a: [10] };
	const { find, asked } = newReader(chats, { latestOf: (seconds) => seconds + 3 * 3600 });
	expect([await find(20), await find(83)]).toEqual([[10], []]);
	asked.length = 0;
	// For what is listed late, it is read until two minutes after the first time.
	expect([await find(139), await find(140), await find(150)]).toEqual([[], [], []]);
	expect(asked).toEqual([
		['a', false],
		['a', false],
	]);
	chats.a.push(190);
	expect(await find(200)).toEqual([190]);
});

test('a minute after its latest message, a chat is read once more, for what is listed late', async () => {
	const late = new Set([10, 12]);
	const isListed = (time: number) => !late.has(time);
	const { find, asked } = newReader({ a: [5, 10], b: [10, 12, 12.5] }, { isListed });
	expect(await find(16)).toEqual([5, 10, 12.5].filter(isListed));
	late.clear();
	asked.length = 0;
	expect([await find(20), await find(69)]).toEqual([[], []]);
	expect([await find(70), await find(73), await find(80)]).toEqual([[10], [10, 12], []]);
	expect(asked.map(([chat]) => chat)).toEqual(['a', 'b']);
});

test('chats that are read once more make no others wait, nor another pass', async () => {
	const chats = many(120, [10]);
	const { read } = newReader(chats);
	expect([(await read(20)).left, (await read(21)).left]).toEqual([20, 0]);
	chats['119@c.us'] = [10, 69];
	const { left, newMessages } = await read(75);
	expect([left, newMessages.length]).toEqual([0, 1]);
});

test('a chat that cannot be read does not make others wait for the next pass', async () => {
	const { read } = newReader({ ...many(120, [8]), '50@c.us': 'broken' });
	const [first, second] = [await read(10), await read(10)];

	expect(first).toMatchObject({ left: 20, hasGivenUp: false });
	expect(second).toMatchObject({ left: 0, hasGivenUp: false });
	expect(first.newMessages.length + second.newMessages.length).toBe(119);
});

test('a chat whose times are not understood cannot be read, and is told', async () => {
	const { read } = newReader({ a: [0] }, { timestampOf: () => '31.01.2030' });
	const found = await read(10);

	expect(found.problem).toContain("'message.timestamp'");
	expect(found.unreadable.map(({ field }) => field)).toEqual(['message.timestamp']);
});

test('a chat whose latest message may still be delivered is read again only when that is over', async () => {
	const { read, asked } = newReader(many(120, [50, 111]));
	const passAt = async (now: number) => {
		asked.length = 0;
		const { left, newMessages } = await read(now, now - 120);
		return { left, found: newMessages.length, asked: new Set(asked.map(([id]) => id)).size };
	};

	expect(await passAt(110)).toEqual({ left: 20, found: 0, asked: 100 });
	expect(await passAt(111)).toEqual({ left: 0, found: 0, asked: 20 });
	expect(await passAt(112)).toEqual({ left: 0, found: 0, asked: 0 });
	expect(await passAt(261)).toEqual({ left: 20, found: 200, asked: 100 });
	expect(await passAt(262)).toEqual({ left: 0, found: 40, asked: 20 });
});

test('all reasons are told, without those of chats that are no longer listed', async () => {
	const chats: Chats = { a: 'a is broken', b: 'b is broken', c: [0] };
	const { read } = newReader(chats);
	expect((await read(10)).problem).toBe('a is broken; b is broken');
	delete chats.a;
	expect((await read(20)).problem).toBe('b is broken');
	chats.a = [0];
	expect((await read(30)).newMessages).toHaveLength(1);
});

test.each<[Chats, boolean, number, string | undefined]>([
	[{ a: [0] }, false, 0, undefined],
	[{ a: 'a', b: 'b', c: 'c' }, false, 0, 'a; b; c'],
	[{ a: 'a', b: 'b', c: 'c', d: [0] }, true, 1, 'a; b; c'],
])(
	'a pass gives up after three failures, if a chat is left: %j',
	async (chats, hasGivenUp, left, problem) => {
		expect(await newReader(chats).read(10)).toMatchObject({ hasGivenUp, left, problem });
	},
);

test.each([
	['once all others were read', {}, []],
	['while others are left', many(100, [0]), [-200]],
	['while another one cannot be read', { broken: 'broken' }, [-200]],
])('of a new chat, %s, these old messages are found: %j', async (_, others, found) => {
	const chats: Chats = { a: [0], ...others };
	const { find } = newReader(chats, { maxLateSeconds: 100 });
	await find(10);
	for (const id of Object.keys(chats)) delete chats[id];
	chats.moved = [-200];

	expect(await find(20)).toEqual(found);
});

describe('a message', () => {
	test('that may still be delivered is left for a later pass, unless it came before the start', async () => {
		const { find } = newReader({ a: [-1, 0, 10] });
		expect(await find(100, -10)).toEqual([-1]);
		expect(await find(130, 10)).toEqual([0, 10]);
	});

	test('with a fraction of a second that may still be delivered is left for a later pass', async () => {
		const { find } = newReader({ a: [10.7] });
		expect(await find(100, 9)).toEqual([]);
		expect([...(await find(100, 10)), ...(await find(100, 11))]).toEqual([expect.closeTo(10.7)]);
	});

	test('that is listed up to a minute late is found, and one that was found is not found again', async () => {
		const chats = { a: [10, 70] };
		const { find } = newReader(chats);
		expect(await find(80)).toEqual([10, 70]);
		// What is not over when it is read counts as read only up to three seconds before.
		chats.a.push(99);
		expect(await find(100)).toEqual([99]);

		chats.a = [36, 37, ...chats.a, 200];
		expect(await find(300)).toEqual([37, 200]);
	});

	test('from the future hides no later ones of its chat', async () => {
		const chats = { a: [10, 9000] };
		const { find } = newReader(chats);
		expect(await find(20)).toEqual([10]);
		chats.a = [10, 30, 9000];
		expect(await find(40)).toEqual([30]);
	});

	test('comes after older ones of other chats', async () => {
		expect(await newReader({ a: [10, 30], b: [20] }).find(60)).toEqual([10, 20, 30]);
	});

	test('is found again by a reader that has forgotten what it read', async () => {
		const { find, clear } = newReader({ a: [0] });
		expect([await find(10), await find(20)]).toEqual([[0], []]);
		clear();
		expect(await find(30)).toEqual([0]);
	});
});

describe('a chat', () => {
	test('whose pages are short is read to the messages that could still be delivered before', async () => {
		const chats = { a: Array.from({ length: 30 }, (_, index) => index) };
		const { find } = newReader(chats, { pageSize: 20 });
		expect(await find(40, 0)).toEqual([0]);
		chats.a.push(100);
		expect(await find(200)).toHaveLength(30);
	});

	test('without new messages is not asked for', async () => {
		const { find, asked } = newReader({ old: [-3601], edge: [-3600], one: [10], two: [9, 10] });
		// The second of the latest message is over three seconds later: until then, another one may come in.
		for (const now of [12, 13, 20]) await find(now);
		// The first time, further requests show that nothing is older. What was read before needs none.
		const first = ['edge', 'edge', 'one', 'one', 'two', 'two', 'two'];
		expect(asked.map(([id]) => id)).toEqual([...first, 'one', 'two']);
	});

	test('that cannot be read is read again after longer and longer pauses', async () => {
		const elapsed = jest.spyOn(clock, 'elapsed');
		const { find, asked } = newReader({ a: 'broken' });
		const requestsAt = async (ms: number) => {
			elapsed.mockReturnValue(ms);
			await find(10);
			return asked.length;
		};

		expect([await requestsAt(0), await requestsAt(999), await requestsAt(1000)]).toEqual([1, 1, 2]);
		expect([await requestsAt(2999), await requestsAt(3000)]).toEqual([2, 3]);
		let last = 3000;
		for (let pause = 4000; pause < 150_000; pause *= 2) await requestsAt((last += pause));
		const before = asked.length;
		expect(await requestsAt(last + 149_999)).toBe(before);
		expect(await requestsAt(last + 150_000)).toBe(before + 1);
	});

	test('that can never be read does not keep the others from being read', async () => {
		const elapsed = jest.spyOn(clock, 'elapsed').mockReturnValue(0);
		const { find, asked } = newReader({ a: 'a', b: 'b', c: 'c', d: [0] });
		expect(await find(10)).toEqual([]);
		elapsed.mockReturnValue(10_000);
		asked.length = 0;
		expect(await find(20)).toEqual([0]);
		expect(asked.map(([id]) => id)).toEqual(['d', 'd', 'a', 'b', 'c']);
	});

	test('with thousands of messages is read part by part, each with its end', async () => {
		const all = Array.from({ length: 6_500 }, (_, index) => index);
		const { read, asked } = newReader({ a: all });
		const found: number[] = [];
		const haveEnds: unknown[] = [];
		for (let left = 1; left > 0 && haveEnds.length < 10;) {
			asked.length = 0;
			const pass = await read(10_000);
			found.push(...pass.newMessages.map(({ timestamp }) => timestamp - START));
			({ left } = pass);
			haveEnds.push(asked[0]?.[1]);
		}

		expect(found).toEqual(all);
		// The first pass finds where the parts begin, and the last part has no end.
		expect(haveEnds).toEqual([false, true, true, false]);
	});

	test('with thousands of messages that could still be delivered is read again from the first of them on', async () => {
		const { find } = newReader({ a: Array.from({ length: 2_600 }, (_, index) => index / 20) });
		const found: number[] = [];
		for (const now of [130, 250, 300, 301]) found.push(...(await find(now, now - 120)));
		expect(new Set(found).size).toBe(2_600);
	});

	test('with thousands of messages in a minute is read again from the first of them on', async () => {
		const chats = { a: Array.from({ length: 2_600 }, (_, index) => index / 50) };
		const { find } = newReader(chats);
		expect([...(await find(60)), ...(await find(60))]).toHaveLength(2_600);
		chats.a = [...chats.a, 5.01, 100].sort((a, b) => a - b);
		expect([...(await find(110)), ...(await find(110))]).toContainEqual(expect.closeTo(5.01));
	});
});

test.each([
	[0, 2, false],
	[1_998, 2, true],
	[1_999, 1, true],
	[2_000, 0, true],
])('while %i messages wait, %i chats are read: %s', async (waiting, count, isFull) => {
	const { newMessages, ...pass } = await newReader({ a: [0], b: [1] }, { waiting }).read(10);
	expect([newMessages.length, pass.isFull]).toEqual([count, isFull]);
});
