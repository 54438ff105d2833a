import type { Client } from '../../../../nodes/MessagingChannel/api/client';
import { createChatReader } from '../../../../nodes/MessagingChannel/trigger/catchUp/chatReader';
import type { Chat } from '../../../../nodes/MessagingChannel/trigger/catchUp/readMessages';
import { eventFilterOf } from '../../../../nodes/MessagingChannel/trigger/delivery/filter';

const START = 2_000_000_000;

const selection = {
	accountId: undefined,
	filter: eventFilterOf({
		getNodeParameter: (_: string, fallback: unknown) => fallback,
	} as unknown as Parameters<typeof eventFilterOf>[0]),
};

/** A service with these messages in each chat, by the time of each. Chats without a list cannot be read. */
function serviceOf(times: Record<string, number[] | string>) {
	const call = async ({ parameters: { chatId = '' } }: { parameters: { chatId?: string } }) => {
		const found = times[chatId] ?? [];
		if (typeof found === 'string') throw new Error(found);
		const data = found.map((timestamp) => ({ id: `${chatId} ${timestamp}`, timestamp })).reverse();
		return await Promise.resolve({ success: true, data });
	};
	const chats = (): Chat[] =>
		Object.entries(times).map(([id, found]) => ({
			id,
			lastMessageAt: typeof found === 'string' ? START : Math.max(...found),
			record: { id },
		}));
	return { client: { call } as unknown as Client, chats };
}

/** The times of a pass that looks for messages of the last hour. */
const at = (now: number) => ({ now, started: START, since: START - 3600, latest: now });

const createReader = () =>
	createChatReader({ isOpen: () => true, waiting: () => 0 }, 1000, new AbortController().signal);

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

test('all reasons are told, without those of chats that are no longer listed', async () => {
	const service = serviceOf({ 'a@c.us': 'a is broken', 'b@c.us': 'b is broken', 'c@c.us': [START] });
	const reader = createReader();
	const chats = service.chats();
	await reader.read(service.client, chats, at(START + 10), selection);
	expect(reader.problem()).toBe('a is broken; b is broken');

	await reader.read(service.client, chats.slice(1), at(START + 20), selection);
	expect(reader.problem()).toBe('b is broken');
});
