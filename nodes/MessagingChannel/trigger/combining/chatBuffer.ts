import type { Clock } from '../../api/clock';
import { createEventGroup, type EventGroup, type Joined, type WaitingEvent } from './eventGroup';

/** Over all chats. n8n keeps each delivery that waits in memory, with an expression engine of about 9 MB. */
const MAX_WAITING = 60;

/** How long the messages of a chat wait for each other, in milliseconds. */
export interface ChatLimits {
	/** Without a further message. */
	silenceMs: number;
	/** From the first message on. */
	maxWaitMs: number;
}

/** The messages of one trigger that wait until nobody writes in their chats any more. */
export interface ChatBuffer {
	join(chat: string, message: WaitingEvent, limits: ChatLimits): Promise<Joined>;
	/** Ends all waits. */
	flush(): void;
}

interface WaitingChat {
	group: EventGroup;
	messages: number;
	/** Unix time in milliseconds. */
	lastMessageAt: number;
	wait: AbortController;
}

/**
 * Gathers the messages of each chat until it is silent. The first one carries the others: its delivery starts the
 * execution. When too many messages wait, those of the chat that has waited longest go.
 */
export function createChatBuffer({ now, sleep }: Pick<Clock, 'now' | 'sleep'>): ChatBuffer {
	/** Those that others can still join, the oldest first. */
	const chats = new Map<string, WaitingChat>();

	const go = (key: string, chat: WaitingChat) => {
		if (chats.get(key) === chat) chats.delete(key);
		chat.wait.abort();
	};
	const makeRoom = () => {
		const waiting = [...chats.values()].reduce((sum, { messages }) => sum + messages, 0);
		const [oldest] = chats;
		if (oldest && waiting >= MAX_WAITING) go(...oldest);
	};
	const untilSilent = async (chat: WaitingChat, silenceMs: number) => {
		for (;;) {
			const ms = chat.lastMessageAt + silenceMs - now();
			if (ms <= 0) return;
			await sleep(ms, chat.wait.signal);
		}
	};
	// The limit does not depend on the clock, which can be set back.
	const untilDue = async (chat: WaitingChat, { silenceMs, maxWaitMs }: ChatLimits) =>
		await Promise.race([untilSilent(chat, silenceMs), sleep(maxWaitMs, chat.wait.signal)]);

	return {
		async join(key, message, limits) {
			makeRoom();
			const existing = chats.get(key);
			if (existing) {
				existing.group.add(message);
				existing.messages++;
				existing.lastMessageAt = now();
				if (existing.group.isFull(MAX_WAITING)) go(key, existing);
				return { wasAccepted: await existing.group.accepted };
			}
			const group = createEventGroup(message);
			const chat: WaitingChat = { group, messages: 1, lastMessageAt: now(), wait: new AbortController() };
			chats.set(key, chat);
			// The wait ends early when the chat has to go.
			await untilDue(chat, limits).catch(() => undefined);
			go(key, chat);
			return { group };
		},
		flush() {
			for (const entry of chats) go(...entry);
		},
	};
}
