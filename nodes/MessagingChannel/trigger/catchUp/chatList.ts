import type { Client } from '../../api/client';
import { isRecent } from '../../api/clock';
import type { AccountState } from '../../api/rateLimiter';
import { clock } from '../account/clock';
import { readChats, type ChatList } from './readMessages';

/** A list, and what ends the trigger that reads it. */
interface SharedList {
	readAt: number;
	list: Promise<ChatList>;
	stopped: AbortSignal;
}

const lists = new WeakMap<AccountState, SharedList>();

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
): Promise<ChatList> {
	const known = lists.get(account);
	if (known && isRecent(known.readAt, maxAgeMs, clock.now())) {
		const shared = await known.list.catch((error: unknown) => {
			if (!known.stopped.aborted) throw error;
		});
		if (shared) return shared;
	}
	const list = readChats(client);
	lists.set(account, { readAt: clock.now(), list, stopped });
	return await list;
}
