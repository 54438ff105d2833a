import type { Client } from '../../../../nodes/MessagingChannel/api/client';
import { accountAt } from '../../../../nodes/MessagingChannel/trigger/account/account';
import { sharedChats } from '../../../../nodes/MessagingChannel/trigger/catchUp/chatList';
import { clock } from '../../../../nodes/MessagingChannel/trigger/account/clock';

const running = new AbortController().signal;

let accounts = 0;

/** A service whose list of chats has one chat more each time. */
function service() {
	let requests = 0;
	const call = async () => {
		requests++;
		const data = Array.from({ length: requests }, (_, id) => ({
			id: `${id}@c.us`,
			last_message_at: '2030-01-01T00:00:00Z',
		}));
		return await Promise.resolve({ success: true, data });
	};
	return { client: { call } as unknown as Client, account: accountAt(`chats ${++accounts}`) };
}

afterEach(() => jest.restoreAllMocks());

test('the triggers of an account share a list for a time', async () => {
	const now = jest.spyOn(clock, 'elapsed').mockReturnValue(10_000_000);
	const { client, account } = service();
	const length = async (maxAgeMs = 60_000) =>
		(await sharedChats(client, account, maxAgeMs, running)).chats.length;

	expect([await length(), await length(), await length(0)]).toEqual([1, 1, 2]);
	now.mockReturnValue(10_060_000);
	expect(await length()).toBe(3);
});

test('a trigger that ends while it reads the list takes it from no other', async () => {
	const { client, account } = service();
	const ending = new AbortController();
	const call = async () =>
		await new Promise((_, reject) => {
			ending.signal.addEventListener('abort', () => reject(ending.signal.reason as Error));
		});
	const ended = sharedChats({ call } as unknown as Client, account, 60_000, ending.signal);
	const other = sharedChats(client, account, 60_000, running);

	ending.abort();

	await expect(ended).rejects.toThrow('aborted');
	expect((await other).chats).toHaveLength(1);
});

test('a list that failed is not read again at once', async () => {
	const { client, account } = service();
	const call = async () => await Promise.reject(new Error('down'));
	const failed = sharedChats({ call } as unknown as Client, account, 60_000, running);
	await expect(failed).rejects.toThrow('down');
	await expect(sharedChats(client, account, 60_000, running)).rejects.toThrow('down');
});
