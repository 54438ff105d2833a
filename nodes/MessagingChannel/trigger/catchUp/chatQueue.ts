import type { FetchedMessage } from './fetchedMessage';

/** Messages that wait for their executions. */
export interface ChatQueue {
	readonly size: number;
	add(messages: readonly FetchedMessage[]): void;
}

/**
 * Creates an empty queue. The messages of a chat start one after the other, and the chats take turns: a chat with many
 * messages holds up no other.
 *
 * @param maxRuns how many run at the same time
 * @param run never rejects
 */
export function createChatQueue(maxRuns: number, run: (message: FetchedMessage) => Promise<void>): ChatQueue {
	/** The chat whose turn is next comes first. */
	const waiting = new Map<string, FetchedMessage[]>();
	const busy = new Set<string>();
	let size = 0;

	const startMore = (): void => {
		for (const [chatId, messages] of waiting) {
			if (busy.size >= maxRuns) return;
			if (busy.has(chatId)) continue;
			const [next] = messages.splice(0, 1);
			waiting.delete(chatId);
			if (next === undefined) continue;
			waiting.set(chatId, messages);
			size--;
			busy.add(chatId);
			void run(next).then(() => {
				busy.delete(chatId);
				startMore();
			});
		}
	};

	return {
		get size() {
			return size;
		},
		add(messages) {
			for (const message of messages) {
				const { chatId } = message;
				const before = waiting.get(chatId);
				if (before) before.push(message);
				else waiting.set(chatId, [message]);
				size++;
			}
			startMore();
		},
	};
}
