import type { Client } from '../../api/client';
import { isRecent } from '../../api/clock';
import type { AccountState } from '../../api/rateLimiter';
import { clock } from '../delivery/state';
import { readChats, type Chat } from './readMessages';

/** A list, and what ends the trigger that reads it. */
interface ChatList {
	readAt: number;
	chats: Promise<Chat[]>;
	stopped: AbortSignal;
}

const lists = new WeakMap<AccountState, ChatList>();

/**
 * The chats of an account, read at most once in this time for all its triggers, even if that fails.
 *
 * @param maxAgeMs how old a list may be that another trigger has read
 * @param stopped ends the trigger that asks
 * @throws ApiError as `readChats` does
 */
export async function sharedChats(
	client: Client,
	account: AccountState,
	maxAgeMs: number,
	stopped: AbortSignal,
): Promise<Chat[]> {
	const known = lists.get(account);
	if (known && isRecent(known.readAt, maxAgeMs, clock.now())) {
		const shared = await known.chats.catch((error: unknown) => {
			if (!known.stopped.aborted) throw error;
		});
		if (shared) return shared;
	}
	const chats = readChats(client);
	lists.set(account, { readAt: clock.now(), chats, stopped });
	return await chats;
}
