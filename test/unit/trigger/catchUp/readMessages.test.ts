import { Settings } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import type { ApiRequest } from '../../../../nodes/MessagingChannel/api/apiRequest';
import { ApiError } from '../../../../nodes/MessagingChannel/api/errors';
import { parseChat } from '../../../../nodes/MessagingChannel/api/message';
import type { Client } from '../../../../nodes/MessagingChannel/api/client';
import {
	readChats,
	readLatestMessage,
	readMessages,
} from '../../../../nodes/MessagingChannel/trigger/catchUp/readMessages';
import { filterOf } from '../delivery/filterOf';

const NOON = Date.UTC(2030, 6, 1, 12) / 1000;

/** A service with these chats. */
const clientOf = (data: object[]) =>
	({ call: async () => await Promise.resolve({ success: true, data }) }) as unknown as Client;

const timesOf = async (...times: unknown[]) =>
	(await readChats(clientOf(times.map((at, index) => ({ id: `${index}`, last_message_at: at }))))).chats.map(
		({ lastMessageAt }) => lastMessageAt,
	);

const chat = { ...parseChat({ id: '905551112233@c.us' }), id: '905551112233@c.us', lastMessageAt: 0 };
const selectionOf = (options?: IDataObject) => ({ accountId: undefined, filter: filterOf(options) });

/** The messages of a chat as they are listed, newest first, by their times since noon, oldest first. */
const messagesAt = (times: number[]) =>
	times
		.map((time, index): IDataObject => ({ id: `${index}`, timestamp: NOON + time, from_me: false }))
		.reverse();

/** A chat with these messages, of a service that returns at least so many at once. Times are seconds since noon. */
function chatWith(listed: IDataObject[], minPageSize = 0) {
	let requests = 0;
	const call = async ({ parameters }: { parameters: { before?: string; limit: number } }) => {
		if (++requests > 1_000) throw new Error('There is no end of requests');
		const end = parameters.before === undefined ? Infinity : Date.parse(parameters.before) / 1000;
		const data = listed
			.filter(({ timestamp }) => !(Number(timestamp) >= end))
			.slice(0, Math.max(minPageSize, parameters.limit));
		return await Promise.resolve({ success: true, data });
	};
	const read = async (since: number, { before, ...options }: IDataObject & { before?: number } = {}) => {
		const range = { since: NOON + since, before: before === undefined ? undefined : NOON + before };
		const part = await readMessages({ call } as unknown as Client, chat, range, selectionOf(options));
		const ids = part.messages.map(({ messageId }) => messageId);
		const unreadable = part.unreadable.map(({ field }) => field);
		return { ids, laterParts: part.laterParts.map((time) => time - NOON), unreadable };
	};
	return { read, requests: () => requests };
}

afterEach(() => (Settings.defaultZone = 'system'));

test('a time without a zone is in UTC, wherever n8n runs', async () => {
	Settings.defaultZone = 'Europe/Istanbul';
	expect(await timesOf('2030-07-01T12:00:00', '2030-07-01T12:00:01Z', '2030-07-01T15:00:02+03:00')).toEqual([
		NOON,
		NOON + 1,
		NOON + 2,
	]);
});

test('a time without seconds is the end of its minute, until which more can come in', async () => {
	expect(await timesOf('2030-07-01T12:00Z', '2030-07-01 15:01+03:00')).toEqual([NOON + 59, NOON + 119]);
});

test('the chat that has been quiet longest comes first', async () => {
	const times = ['2030-07-01T12:00:02Z', '2030-07-01T12:00:00Z', '2030-07-01T12:00:01Z'];
	expect(await timesOf(...times)).toEqual((await timesOf(...times)).toSorted());
});

test('a chat without a time counts as one without a message, and it is told where it or the ID is not understood', async () => {
	const at = '2030-07-01T12:00:00Z';
	const listed = [
		{ id: 'quiet', last_message_at: null },
		{ id: 'silent', last_message_at: '' },
		{ id: 'missing' },
		{ id: 'odd', last_message_at: '01.07.2030' },
		{ id: '', last_message_at: at },
		{ id: 17, last_message_at: at },
	];

	const { chats, unreadable } = await readChats(clientOf(listed));

	expect(chats.map(({ id }) => id)).toEqual(['17']);
	expect(unreadable.map(({ message }) => message)).toEqual([
		"The service sends 'chat.last_message_at' in a form that is not understood: nothing",
		"The service sends 'chat.last_message_at' in a form that is not understood: a text like '99.99.9999'",
		"The service sends 'chat.id' in a form that is not understood: an empty text",
	]);
	expect(await timesOf()).toEqual([]);
});

test('of a chat that is listed twice, its latest message counts', async () => {
	const [first, later] = ['2030-07-01T12:00:00Z', '2030-07-01T12:00:01Z'];
	const listed = [first, later, first].map((last_message_at) => ({ id: 'twice', last_message_at }));

	const { chats } = await readChats(clientOf([...listed, { id: 'once', last_message_at: first }]));

	expect(chats.map(({ id, record }) => [id, record.last_message_at])).toEqual([
		['once', first],
		['twice', later],
	]);
});

test.each([
	[undefined, 'nothing'],
	[null, 'null'],
])(
	'a service that says %p of when messages came in does not look like one without messages',
	async (at, kind) => {
		await expect(timesOf(at, at)).rejects.toMatchObject({
			message: `The service sends 'chat.last_message_at' in a form that is not understood: ${kind}`,
			description: 'Report this to the provider of the service.',
			code: 'unexpected_answer',
		});
	},
);

test('a service of which no chat is understood does not look like one without chats', async () => {
	const listed = [{ id: '', last_message_at: '2030-07-01T12:00:00Z' }];
	await expect(readChats(clientOf(listed))).rejects.toThrow("'chat.id'");
});

test('chats without a time have no messages if the first of them has none', async () => {
	const data = [{ id: 'empty', last_message_at: null }];
	const call = async ({ parameters }: ApiRequest) =>
		await Promise.resolve({ success: true, data: parameters?.chatId === undefined ? data : [] });
	const { chats } = await readChats({ call } as unknown as Client);
	expect(chats).toEqual([]);
});

test.each([1, 7])(
	'a chat with thousands of messages, %d in a second, is read in parts',
	async (perSecond) => {
		const all = messagesAt(Array.from({ length: 9_000 }, (_, index) => Math.floor(index / perSecond)));
		const { read, requests } = chatWith(all);

		const found = new Set<string>();
		let reads = 0;
		const parts: number[] = [];
		for (let since: number | undefined = 0; since !== undefined; since = parts.pop()) {
			reads++;
			const { ids, laterParts } = await read(since, { before: parts.at(-1) });
			expect(ids.length).toBeLessThanOrEqual(2_200);
			ids.forEach((id) => found.add(id));
			parts.push(...laterParts);
		}

		expect([...found]).toEqual(all.map(({ id }) => id).reverse());
		expect(reads).toBe(5);
		expect(requests()).toBeLessThan(110);
	},
);

test('a service that returns more messages of one second than a part has is asked to an end', async () => {
	const { read } = chatWith(messagesAt(Array<number>(2_500).fill(0)), 2_500);

	expect((await read(0)).ids).toHaveLength(2_000);
});

test.each([
	['a page ends within', 203],
	['a part ends within', 2_003],
])('no message of the second is lost that %s', async (_, length) => {
	const times = Array.from({ length }, (_time, index) => Math.max(0, index - 4));
	const { read } = chatWith(messagesAt([-1, ...times]));
	const found: string[] = [];
	for (let since: number | undefined = 0; since !== undefined;) {
		const { ids, laterParts } = await read(since);
		found.push(...ids);
		[since] = laterParts;
	}

	expect(found).toEqual(times.map((_time, index) => `${index + 1}`));
});

test('no page is read that is older than what is wanted', async () => {
	const { read, requests } = chatWith(messagesAt(Array.from({ length: 1_000 }, (_, index) => index)));

	expect((await read(950)).ids).toHaveLength(50);
	expect(requests()).toBe(1);
});

test('a chat whose messages are gone has none', async () => {
	expect((await chatWith([]).read(0)).ids).toEqual([]);
});

test('messages are in the order of their times, and those of a second in the order of the list', async () => {
	expect((await chatWith(messagesAt([0, 2, 1, 1])).read(0)).ids).toEqual(['0', '2', '3', '1']);
});

test('own messages, and those that the filters leave out or cannot read, are not found', async () => {
	const { read } = chatWith([
		{ id: 'image', timestamp: NOON + 2, type: 'image', from_me: false },
		{ id: 'own', timestamp: NOON + 1, type: 'image', from_me: true },
		{ id: 'odd', timestamp: NOON, type: {}, from_me: false },
		{ id: 'text', timestamp: NOON, type: 'text', from_me: false },
	]);

	const found = await read(0, { messageTypes: ['image'] });
	expect(found).toEqual({ ids: ['image'], laterParts: [], unreadable: ['message.type'] });
});

test('a message without a time hides none of those before it', async () => {
	const all = messagesAt(Array.from({ length: 300 }, (_, index) => index));
	const { read } = chatWith([{ timestamp: null }, ...all]);

	expect((await read(0)).ids).toEqual(all.map(({ id }) => id).reverse());
});

test('a service that returns thousands of messages at once, all without a readable time, has none that is understood', async () => {
	const undated = Array.from({ length: 2_500 }, (_, id) => ({
		id: `${id}`,
		timestamp: 'now',
		from_me: false,
	}));
	const { ids, laterParts, unreadable } = await chatWith(undated, 2_500).read(0);

	expect([ids, laterParts, new Set(unreadable)]).toEqual([[], [], new Set(['message.timestamp'])]);
});

describe('the latest message for a test', () => {
	/** Looks for it in chats with these messages, newest first, or that fail so; the last chat was written in last. */
	const readLatest = async (
		messagesOfChats: Array<IDataObject[] | Error>,
		options: IDataObject = {},
		asked: string[] = [],
	) => {
		const chats = messagesOfChats.map((_, index) => ({
			id: `${index}`,
			last_message_at: new Date((NOON + index) * 1000).toISOString(),
		}));
		const call = async ({ parameters }: ApiRequest) => {
			const chatId = parameters?.chatId as string | undefined;
			if (chatId === undefined) return await Promise.resolve({ success: true, data: chats });
			asked.push(`${chatId} ${String(parameters?.limit)}`);
			const data = messagesOfChats[Number(chatId)];
			if (data instanceof Error) throw data;
			return { success: true, data };
		};
		const latest = await readLatestMessage({ call } as unknown as Client, selectionOf(options));
		return { id: latest?.messageId, asked };
	};
	const messageOf = (id: string, more: IDataObject = {}) => ({
		id,
		timestamp: NOON,
		from_me: false,
		...more,
	});

	test('is the first in the list of the chat that was written in last', async () => {
		const { id, asked } = await readLatest([
			[messageOf('before')],
			[messageOf('latest'), messageOf('older')],
		]);
		expect([id, asked]).toEqual(['latest', ['1 50']]);
	});

	test('is neither an own one nor one that the filters leave out', async () => {
		const { id } = await readLatest(
			[
				[messageOf('in another chat', { type: 'image' })],
				[messageOf('text', { type: 'text' }), messageOf('own', { type: 'image', from_me: true })],
			],
			{ messageTypes: ['image'] },
		);
		expect(id).toBe('in another chat');
	});

	const failing = (httpStatus: number) =>
		new ApiError({ message: 'It cannot be read', description: '', code: 'x', httpStatus });

	test('is looked for in other chats where two cannot be read', async () => {
		const { id } = await readLatest([[messageOf('found')], failing(404), [], failing(500)]);
		expect(id).toBe('found');
	});

	test.each([
		['a third one cannot be read', [[messageOf('found')], ...[404, 500, 503].map(failing)], 3],
		['there is none in the others', [[], failing(404)], 2],
		['the service refuses the key', [[messageOf('found')], failing(403)], 1],
	])('is not found, and it is told why, if %s', async (_, chats, reads) => {
		const asked: string[] = [];
		await expect(readLatest(chats, {}, asked)).rejects.toThrow('It cannot be read');
		expect(asked).toHaveLength(reads);
	});

	const [own, undated] = [messageOf('own', { from_me: true }), messageOf('undated', { timestamp: 'now' })];

	test.each([
		["a filter cannot read the only one, 'message.type'", [messageOf('odd', { type: {} })]],
		["none of a chat is understood, 'message.timestamp'", [undated, undated]],
	])('is not found, and it is told why, if %s', async (why, messages) => {
		const [, field] = why.split(', ');
		await expect(readLatest([[], messages], { messageTypes: ['image'] })).rejects.toThrow(field);
	});

	test('is not found, and nothing is told, if one of a chat is understood', async () => {
		expect((await readLatest([[undated, own]])).id).toBeUndefined();
	});

	test('is looked for in ten chats', async () => {
		const { id, asked } = await readLatest([[messageOf('too old')], ...Array<[]>(10).fill([])]);
		expect(id).toBeUndefined();
		expect(asked.map((each) => each.split(' ')[0])).toEqual('10 9 8 7 6 5 4 3 2 1'.split(' '));
	});
});
