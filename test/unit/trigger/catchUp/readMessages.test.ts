import { eventFilterOf } from '../../../../nodes/MessagingChannel/trigger/delivery/filter';
import type { Client } from '../../../../nodes/MessagingChannel/api/client';
import { readChats, readMessages } from '../../../../nodes/MessagingChannel/trigger/catchUp/readMessages';

/** A service with these chats. */
const clientOf = (data: object[]) =>
	({ call: async () => await Promise.resolve({ success: true, data }) }) as unknown as Client;

const timesOf = async (...times: unknown[]) =>
	(await readChats(clientOf(times.map((at, index) => ({ id: `${index}`, last_message_at: at }))))).map(
		({ lastMessageAt }) => lastMessageAt,
	);

test('a time without a zone is in UTC, wherever n8n runs', async () => {
	const second = Date.UTC(2030, 6, 1, 12) / 1000;

	expect(await timesOf('2030-07-01T12:00:00', '2030-07-01T12:00:01Z', '2030-07-01T15:00:02+03:00')).toEqual([
		second,
		second + 1,
		second + 2,
	]);
});

test('chats without messages are left out', async () => {
	expect(await timesOf(null, '2030-07-01T12:00:00Z', undefined, 'soon')).toHaveLength(1);
	expect(await timesOf(null)).toEqual([]);
	expect(await timesOf()).toEqual([]);
});

test('a chat without an ID, which cannot be read, is left out', async () => {
	const at = '2030-07-01T12:00:00Z';

	const chats = await readChats(clientOf([{ last_message_at: at }, { id: 'a@c.us', last_message_at: at }]));

	expect(chats.map(({ id }) => id)).toEqual(['a@c.us']);
});

test('a service that never says when messages came in does not look like one without messages', async () => {
	await expect(timesOf(undefined, undefined)).rejects.toThrow(
		'The service does not say when the latest message of a chat came in',
	);
});

test.each([1, 7])(
	'a chat with thousands of messages, %d in a second, is read in parts',
	async (perSecond) => {
		const start = Date.UTC(2030, 6, 1) / 1000;
		const all = Array.from({ length: 9_000 }, (_, index) => ({
			id: `${index}`,
			timestamp: start + Math.floor(index / perSecond),
		}));
		let requests = 0;
		const call = async ({
			parameters: { before, limit },
		}: {
			parameters: { before?: string; limit: number };
		}) => {
			requests++;
			const end = before === undefined ? Infinity : Date.parse(before) / 1000;
			const data = all
				.filter(({ timestamp }) => timestamp < end)
				.slice(-limit)
				.reverse();
			return await Promise.resolve({ success: true, data });
		};
		const client = { call } as unknown as Client;
		const chat = { id: '905551112233@c.us', lastMessageAt: 0, record: { id: '905551112233@c.us' } };
		const selection = {
			accountId: undefined,
			filter: eventFilterOf({ getNodeParameter: (_name: string, fallback: unknown) => fallback } as never),
		};

		const found = new Set<string>();
		let since = start;
		const parts: number[] = [];
		do {
			const { messages, laterParts } = await readMessages(
				client,
				chat,
				{ since, before: parts.at(-1) },
				selection,
			);
			expect(messages.length).toBeLessThanOrEqual(2_200);
			for (const { messageId } of messages) found.add(messageId);
			parts.push(...laterParts);
			since = parts.pop() ?? 0;
		} while (since > 0);

		expect([...found]).toEqual(all.map(({ id }) => id));
		expect(requests).toBeLessThan(110);
	},
);

test('a message without a time hides none of those before it', async () => {
	const all = Array.from({ length: 300 }, (_, index) => ({ id: `${index}`, timestamp: 1_000_000 + index }));
	const listed = [{ id: 'notice', timestamp: null }, ...all.toReversed()];
	const call = async ({ parameters }: { parameters: { before?: string; limit: number } }) => {
		const end = parameters.before === undefined ? Infinity : Date.parse(parameters.before) / 1000;
		const data = listed.filter(({ timestamp }) => Number(timestamp) < end).slice(0, parameters.limit);
		return await Promise.resolve({ success: true, data });
	};
	const chat = { id: '905551112233@c.us', lastMessageAt: 0, record: { id: '905551112233@c.us' } };
	const filter = eventFilterOf({ getNodeParameter: (_name: string, fallback: unknown) => fallback } as never);

	const { messages } = await readMessages(
		{ call } as unknown as Client,
		chat,
		{ since: 1_000_000 },
		{
			accountId: undefined,
			filter,
		},
	);

	expect(messages.map(({ messageId }) => messageId)).toEqual(all.map(({ id }) => id));
});
