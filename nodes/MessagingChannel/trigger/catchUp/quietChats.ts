import type { Chat } from '../../api/chat';
import type { Client } from '../../api/client';
import { isRecent } from '../../api/clock';
import type { UnreadableField } from '../../api/unreadable';
import { clock } from '../account/clock';
import { unreadableTimeOf } from './readMessages';

/** An account can have many chats without a message. */
const MAX_CHECKS = 10;
const CHECKS_PER_MS = 60 * 60 * 1000;

/** Creates a check whether chats without a time really have no message, a few in an hour and each of them once. */
export function createQuietCheck(): (client: Client, quiet: readonly Chat[]) => Promise<UnreadableField[]> {
	/** What was found when, by the ID of the chat. */
	const checks = new Map<string | undefined, { at: number; problem: UnreadableField | undefined }>();
	return async (client, quiet) => {
		for (const [id, { at }] of checks) if (!isRecent(at, CHECKS_PER_MS, clock.now())) checks.delete(id);
		for (const chat of quiet.filter(({ id }) => !checks.has(id)).slice(0, MAX_CHECKS - checks.size))
			checks.set(chat.id, {
				at: clock.now(),
				// It is checked again in an hour.
				problem: await unreadableTimeOf(client, chat).catch(() => undefined),
			});
		return quiet.map(({ id }) => checks.get(id)?.problem).filter((problem) => problem !== undefined);
	};
}
