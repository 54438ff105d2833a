import type { Client } from '../../api/client';
import type { AccountWindow } from '../../api/rateLimiter';
import { clock } from '../delivery/state';
import { readChats, type Chat } from './readMessages';

const lists = new WeakMap<AccountWindow, { readAt: number; chats: Promise<Chat[]> }>();

/**
 * The chats of an account, read at most once in this time for all its triggers, even if that fails.
 *
 * @param maxAgeMs how old a list may be that another trigger has read
 * @throws ApiError as `readChats` does
 */
export async function sharedChats(client: Client, account: AccountWindow, maxAgeMs: number): Promise<Chat[]> {
	const known = lists.get(account);
	if (known && clock.now() - known.readAt < maxAgeMs) return await known.chats;
	const chats = readChats(client);
	lists.set(account, { readAt: clock.now(), chats });
	return await chats;
}
