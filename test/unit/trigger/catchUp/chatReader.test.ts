import { parseChat } from '../../../../nodes/MessagingChannel/api/chat';
import type { Client } from '../../../../nodes/MessagingChannel/api/client';
import {
	createChatReader,
	type PassTimes,
} from '../../../../nodes/MessagingChannel/trigger/catchUp/chatReader';
import type { ChatWithMessages } from '../../../../nodes/MessagingChannel/api/chat';
import { eventFilterOf } from '../../../../nodes/MessagingChannel/trigger/delivery/filter';
import { clock } from '../../../../nodes/MessagingChannel/trigger/account/clock';

const START = 2_000_000_000;

const selection = {
	accountId: undefined,
	filter: eventFilterOf({
		getNodeParameter: (name: string, fallback: unknown) =>
			name === 'events' ? ['message.received'] : fallback,
	} as unknown as Parameters<typeof eventFilterOf>[0]),
};

/** A service with these messages in each chat, by the time of each. Chats without a list cannot be read. Its times of chats are whole. */
function serviceOf(times: Record<string, number[] | string>, maxPageSize = 200) {
	/** The chats that were asked for, and the time before which, in Unix seconds. */
	const asked: Array<[chatId: string, before?: number]> = [];
	const call = async ({ parameters }: { parameters: { chatId: string; before?: string; limit: number } }) => {
		const { chatId, before, limit } = parameters;
		const end = before === undefined ? undefined : Date.parse(before) / 1000;
		asked.push([chatId, end]);
		const found = times[chatId] ?? [];
		if (typeof found === 'string') throw new Error(found);
		const data = found
			.filter((timestamp) => timestamp < (end ?? Infinity))
			.slice(-Math.min(limit, maxPageSize))
			.map((timestamp) => ({ id: `${chatId} ${timestamp}`, timestamp, from_me: false }))
			.reverse();
		return await Promise.resolve({ success: true, data });
	};
	const chats = (): ChatWithMessages[] =>
		Object.entries(times).map(([id, found]) => ({
			...parseChat({ id }),
			id,
			lastMessageAt: typeof found === 'string' ? START : Math.floor(Math.max(...found)),
		}));
	return { client: { call } as unknown as Client, chats, asked };
}

/** The times of a pass that looks for messages of the last hour. */
const at = (now: number) => ({ now, started: START, since: START - 3600, deliveredUntil: now });

const createReader = (waiting = 0, maxLateSeconds?: number) =>
	createChatReader(
		{ isOpen: () => true, waiting: () => waiting },
		1000,
		new AbortController().signal,
		maxLateSeconds,
	);

type Service = ReturnType<typeof serviceOf>;

/** What a pass finds, in seconds since the start. */
const findAll = async (reader: ReturnType<typeof createReader>, service: Service, times: PassTimes) =>
	(await reader.read(service.client, service.chats(), times, selection)).newMessages.map(
		({ timestamp }) => timestamp - START,
	);

afterEach(() => jest.restoreAllMocks());

test('a message is found once, also by a process that has forgotten that it ran', async () => {
	const times = { 'a@c.us': [START + 10, START + 20] };
	const service = serviceOf(times);
	const reader = createReader();
	const find = async (now: number) =>
		(await reader.read(service.client, service.chats(), at(now), selection)).newMessages.map(
			({ timestamp }) => timestamp - START,
		);

	expect(await find(START + 30)).toEqual([10, 20]);
	// One of them was listed late.
	times['a@c.us'] = [START + 10, START + 15, START + 20, START + 90];
	expect(await find(START + 1000)).toEqual([15, 90]);
	times['a@c.us'].push(START + 2000);
	expect(await find(START + 3000)).toEqual([2000]);
	// The latest one was deleted.
	times['a@c.us'].pop();
	expect(await find(START + 4000)).toEqual([]);
	times['a@c.us'].push(START + 5000);
	expect(await find(START + 6000)).toEqual([5000]);
});

test('a chat that cannot be read does not make others wait for the next pass', async () => {
	const ids = Array.from({ length: 120 }, (_, index) => `${index}@c.us`);
	const service = serviceOf(
		Object.fromEntries(ids.map((id, index) => [id, index === 50 ? 'broken' : [START]])),
	);
	const reader = createReader();
	const read = async () => await reader.read(service.client, service.chats(), at(START + 10), selection);

	const first = await read();
	const second = await read();

	expect(first).toMatchObject({ left: 20, hasGivenUp: false });
	expect(second).toMatchObject({ left: 0, hasGivenUp: false });
	expect(first.newMessages.length + second.newMessages.length).toBe(119);
});

test('a chat whose times are not understood cannot be read, and is told', async () => {
	const data = [{ id: '1', timestamp: '31.01.2030', from_me: false }];
	const client = { call: async () => await Promise.resolve({ success: true, data }) } as unknown as Client;
	const chats = serviceOf({ 'a@c.us': [START] }).chats();

	const found = await createReader().read(client, chats, at(START + 10), selection);

	expect(found.problem).toContain("'message.timestamp'");
	expect(found.unreadable.map(({ field }) => field)).toEqual(['message.timestamp']);
});

test('a chat whose latest message may still be delivered is read again only when that is over', async () => {
	const ids = Array.from({ length: 120 }, (_, index) => `${index}@c.us`);
	const service = serviceOf(Object.fromEntries(ids.map((id) => [id, [START + 50, START + 100]])));
	const reader = createReader();
	const read = async (now: number) => {
		service.asked.splice(0);
		const times = { ...at(now), deliveredUntil: now - 120 };
		const { left, newMessages } = await reader.read(service.client, service.chats(), times, selection);
		return { left, found: newMessages.length, asked: new Set(service.asked.map(([id]) => id)).size };
	};

	expect(await read(START + 110)).toEqual({ left: 20, found: 0, asked: 100 });
	expect(await read(START + 111)).toEqual({ left: 0, found: 0, asked: 20 });
	expect(await read(START + 112)).toEqual({ left: 0, found: 0, asked: 0 });
	expect(await read(START + 261)).toEqual({ left: 20, found: 200, asked: 100 });
	expect(await read(START + 262)).toEqual({ left: 0, found: 40, asked: 20 });
});

test('a message from the future hides no later ones of its chat', async () => {
	const times = { 'a@c.us': [START + 10, START + 9000] };
	const service = serviceOf(times);
	const reader = createReader();

	expect(await findAll(reader, service, at(START + 20))).toEqual([10]);
	times['a@c.us'] = [START + 10, START + 30, START + 9000];
	expect(await findAll(reader, service, at(START + 40))).toEqual([30]);
});

test('all reasons are told, without those of chats that are no longer listed', async () => {
	const service = serviceOf({ 'a@c.us': 'a is broken', 'b@c.us': 'b is broken', 'c@c.us': [START] });
	const reader = createReader();
	const chats = service.chats();
	const first = await reader.read(service.client, chats, at(START + 10), selection);
	expect(first.problem).toBe('a is broken; b is broken');

	const second = await reader.read(service.client, chats.slice(1), at(START + 20), selection);
	expect(second.problem).toBe('b is broken');
});

test.each([
	[{ 'a@c.us': [START] }, {}],
	[
		{ 'a@c.us': 'a', 'b@c.us': 'b', 'c@c.us': 'c' },
		{ hasGivenUp: false, left: 0, problem: 'a; b; c' },
	],
	[
		{ 'a@c.us': 'a', 'b@c.us': 'b', 'c@c.us': 'c', 'd@c.us': [START] },
		{ hasGivenUp: true, left: 1, problem: 'a; b; c' },
	],
])('a pass gives up after three failures, if a chat is left: %j', async (times, expected) => {
	const service = serviceOf(times as Record<string, number[] | string>);
	expect(await createReader().read(service.client, service.chats(), at(START + 10), selection)).toMatchObject(
		{
			hasGivenUp: false,
			left: 0,
			problem: undefined,
			...expected,
		},
	);
});

test.each([
	['once all others were read', {}, []],
	['while others are left', Object.fromEntries(Array.from({ length: 100 }, (_, i) => [i, [START]])), [-200]],
	['while another one cannot be read', { 'broken@c.us': 'broken' }, [-200]],
])('of a new chat, %s, these old messages are found: %j', async (_, others, found) => {
	const reader = createReader(0, 100);
	await findAll(reader, serviceOf({ 'a@c.us': [START], ...others }), at(START + 10));

	expect(await findAll(reader, serviceOf({ 'moved@c.us': [START - 200] }), at(START + 20))).toEqual(found);
});

describe('a message', () => {
	test('that may still be delivered is left for a later pass, unless it came before the start', async () => {
		const service = serviceOf({ 'a@c.us': [START - 1, START, START + 10] });
		const reader = createReader();

		expect(await findAll(reader, service, { ...at(START + 100), deliveredUntil: START - 10 })).toEqual([-1]);
		expect(await findAll(reader, service, { ...at(START + 130), deliveredUntil: START + 10 })).toEqual([
			0, 10,
		]);
	});

	test('that is listed up to a minute late is found, and one that was found is not found again', async () => {
		const times = { 'a@c.us': [START + 10, START + 70] };
		const reader = createReader();
		expect(await findAll(reader, serviceOf(times), at(START + 80))).toEqual([10, 70]);
		// What is not over when it is read counts as read only up to three seconds before.
		times['a@c.us'].push(START + 99);
		expect(await findAll(reader, serviceOf(times), at(START + 100))).toEqual([99]);

		times['a@c.us'] = [START + 36, START + 37, ...times['a@c.us'], START + 200];
		expect(await findAll(reader, serviceOf(times), at(START + 300))).toEqual([37, 200]);
	});

	test('with a fraction of a second that may still be delivered is left for a later pass', async () => {
		const service = serviceOf({ 'a@c.us': [START + 10.7] });
		const reader = createReader();
		const find = async (deliveredUntil: number) =>
			await findAll(reader, service, { ...at(START + 100), deliveredUntil: START + deliveredUntil });

		expect(await find(9)).toEqual([]);
		expect([...(await find(10)), ...(await find(11))]).toEqual([expect.closeTo(10.7)]);
	});

	test('comes after older ones of other chats', async () => {
		const service = serviceOf({ 'a@c.us': [START + 10, START + 30], 'b@c.us': [START + 20] });
		expect(await findAll(createReader(), service, at(START + 60))).toEqual([10, 20, 30]);
	});

	test('is found again by a reader that has forgotten what it read', async () => {
		const service = serviceOf({ 'a@c.us': [START] });
		const reader = createReader();
		expect(await findAll(reader, service, at(START + 10))).toEqual([0]);
		expect(await findAll(reader, service, at(START + 20))).toEqual([]);
		reader.clear();
		expect(await findAll(reader, service, at(START + 30))).toEqual([0]);
	});
});

describe('a chat', () => {
	test('whose pages are short is read to the messages that could still be delivered before', async () => {
		const times = { 'a@c.us': Array.from({ length: 30 }, (_, index) => START + index) };
		const reader = createReader();
		expect(await findAll(reader, serviceOf(times, 20), { ...at(START + 40), deliveredUntil: START })).toEqual(
			[0],
		);

		times['a@c.us'].push(START + 100);
		expect(await findAll(reader, serviceOf(times, 20), at(START + 200))).toHaveLength(30);
	});

	test('without new messages is not asked for', async () => {
		const service = serviceOf({
			'old@c.us': [START - 3601],
			'edge@c.us': [START - 3600],
			'read@c.us': [START + 10],
		});
		const reader = createReader();
		// The second of the latest message is over three seconds later: until then, another one may come in.
		for (const seconds of [12, 13, 20]) await findAll(reader, service, at(START + seconds));
		// The first time, a second request shows that nothing is older. What was read before needs none.
		const expected = ['edge@c.us', 'edge@c.us', 'read@c.us', 'read@c.us', 'read@c.us'];
		expect(service.asked.map(([id]) => id)).toEqual(expected);
	});

	test('that cannot be read is read again after longer and longer pauses', async () => {
		const now = jest.spyOn(clock, 'elapsed').mockReturnValue(0);
		const service = serviceOf({ 'a@c.us': 'broken' });
		const reader = createReader();
		const requestsAt = async (ms: number) => {
			now.mockReturnValue(ms);
			await findAll(reader, service, at(START + 10));
			return service.asked.length;
		};

		expect([await requestsAt(0), await requestsAt(999), await requestsAt(1000)]).toEqual([1, 1, 2]);
		expect([await requestsAt(2999), await requestsAt(3000)]).toEqual([2, 3]);
		let last = 3000;
		for (let pause = 4000; pause < 150_000; pause *= 2) await requestsAt((last += pause));
		const before = service.asked.length;
		expect([await requestsAt(last + 149_999), await requestsAt(last + 150_000)]).toEqual([
			before,
			before + 1,
		]);
	});

	test('that can never be read does not keep the others from being read', async () => {
		const now = jest.spyOn(clock, 'elapsed').mockReturnValue(0);
		const service = serviceOf({ 'a@c.us': 'a', 'b@c.us': 'b', 'c@c.us': 'c', 'd@c.us': [START] });
		const reader = createReader();
		expect(await findAll(reader, service, at(START + 10))).toEqual([]);
		now.mockReturnValue(10_000);
		service.asked.length = 0;
		expect(await findAll(reader, service, at(START + 20))).toEqual([0]);
		expect(service.asked.map(([id]) => id)).toEqual(['d@c.us', 'd@c.us', 'a@c.us', 'b@c.us', 'c@c.us']);
	});

	test('with thousands of messages is read part by part, each with its end', async () => {
		const all = Array.from({ length: 6_500 }, (_, index) => START + index);
		const service = serviceOf({ 'a@c.us': all });
		const reader = createReader();
		const found: number[] = [];
		const ends: unknown[] = [];
		for (let left = 1; left > 0 && ends.length < 10;) {
			service.asked.length = 0;
			const pass = await reader.read(service.client, service.chats(), at(START + 10_000), selection);
			found.push(...pass.newMessages.map(({ timestamp }) => timestamp));
			({ left } = pass);
			ends.push(service.asked[0]?.[1]);
		}

		expect(found).toEqual(all);
		// The first pass finds where the parts begin, and the last part has no end.
		expect(ends.map((end) => end === undefined)).toEqual([true, false, false, true]);
	});
});

test('no further chat is read while too many messages wait', async () => {
	const service = serviceOf({ 'a@c.us': [START], 'b@c.us': [START + 1] });
	const read = async (waiting: number) => {
		const { newMessages, isFull } = await createReader(waiting).read(
			service.client,
			service.chats(),
			at(START + 10),
			selection,
		);
		return [newMessages.length, isFull];
	};

	expect([await read(1_998), await read(1_999), await read(2_000)]).toEqual([
		[2, true],
		[1, true],
		[0, true],
	]);
	expect(await read(0)).toEqual([2, false]);
});
