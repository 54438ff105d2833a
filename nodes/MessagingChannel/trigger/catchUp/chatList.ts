import type { Chat, ChatList } from '../../api/chat';
import type { Client } from '../../api/client';
import type { UnreadableField } from '../../api/unreadable';
import type { Account } from '../account/account';
import { clock } from '../account/clock';
import { readChats, unreadableTimeOf } from './readMessages';

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

/** An account can have many chats without a message. */
const MAX_CHECKS = 10;
const CHECKS_PER_MS = 60 * 60 * 1000;

/** Creates a check whether chats without a time really have no message, a few in an hour and each of them once. */
export function createQuietCheck(): (client: Client, quiet: readonly Chat[]) => Promise<UnreadableField[]> {
	/** What was found when, by the ID of the chat. */
	const checks = new Map<string | undefined, { at: number; problem: UnreadableField | undefined }>();
	return async (client, quiet) => {
		const now = clock.elapsed();
		for (const [id, { at }] of checks) if (now - at >= CHECKS_PER_MS) checks.delete(id);
		for (const chat of quiet.filter(({ id }) => !checks.has(id)).slice(0, MAX_CHECKS - checks.size))
			// It is checked again in an hour.
			checks.set(chat.id, { at: now, problem: await unreadableTimeOf(client, chat).catch(() => undefined) });
		return quiet.map(({ id }) => checks.get(id)?.problem).filter((problem) => problem !== undefined);
	};
}
