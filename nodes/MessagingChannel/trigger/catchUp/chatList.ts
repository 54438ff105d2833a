import type { ChatList } from '../../api/message';
import type { Client } from '../../api/client';
import type { Account } from '../account/account';
import { clock } from '../account/clock';
import { readChats } from './readMessages';

/**
 * The chats of an account, read at most once in this time for all its triggers, even if that fails.
 *
 * @param maxAgeMs how old a list may be that another trigger has read
 * @param stopped ends the trigger that asks
 * @throws ApiError as `readChats` does
 */
export async function sharedChats(
	client: Client,
	account: Account,
	maxAgeMs: number,
	stopped: AbortSignal,
): Promise<ChatList> {
	const { chats: known } = account;
	if (known && clock.elapsed() - known.readAt < maxAgeMs) {
		const shared = await known.list.catch((error: unknown) => {
			if (!known.stopped.aborted) throw error;
		});
		if (shared) return shared;
	}
	const list = readChats(client);
	account.chats = { readAt: clock.elapsed(), list, stopped };
	return await list;
}
