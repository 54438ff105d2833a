import type { Client } from '../../api/client';
import { isRecent } from '../../api/clock';
import { isKeyRefused, messageOf } from '../../api/errors';
import type { UnreadableField } from '../../api/unreadable';
import { clock } from '../account/clock';
import type { FetchedMessage } from './fetchedMessage';
import type { MessageStarter } from './messageStarter';
import { readMessages, type ChatWithMessages, type MessageSelection } from './readMessages';

/** A campaign touches thousands of chats, and the next pass goes on with the rest. */
const MAX_CHATS_PER_PASS = 100;

/** Messages that wait for their executions are kept in memory; about 2 MB. No further chat is read meanwhile. */
const MAX_WAITING = 2_000;

/** A service that does not respond must not be asked for all chats. */
const MAX_FAILURES_PER_PASS = 3;

/** A chat that cannot be read is read again after longer and longer pauses, up to this one. */
const MAX_FAILURE_PAUSE_MS = 150_000;

/** The service may list a message with an earlier time than the last one that was read. */
const OVERLAP_SECONDS = 60;

/** Times are whole seconds, and the service's clock is known to about a second. Older times get no further message. */
export const CLOCK_MARGIN_SECONDS = 3;

/** The times of a pass, in Unix seconds of the service's clock. */
export interface PassTimes {
	now: number;
	/** When the trigger began to look for messages. */
	started: number;
	/** Messages that came in before it are left alone. */
	since: number;
	/** Messages that came in later, and since the start, may still be delivered. */
	deliveredUntil: number;
}

/** What was read of the chats. */
export interface ReadChats {
	/** Each message once. Oldest first. */
	newMessages: FetchedMessage[];
	/** What is not understood of other messages. */
	unreadable: UnreadableField[];
	/** How many chats with new messages are still to be read, without those that failed. */
	left: number;
	/** Whether so many messages wait that no further chat was read. */
	isFull: boolean;
	/** Whether so many chats could not be read that the rest was left. */
	hasGivenUp: boolean;
	/** Why chats cannot be read, if there are any. */
	problem: string | undefined;
	/** Whether chats were to be read, and the service refused the API key for each of them. */
	isRefused: boolean;
}

/** Why a chat could not be read. */
interface Failure {
	problem: string;
	/** Whether the service refused the API key. */
	isRefused: boolean;
	/** How often in a row it failed. */
	count: number;
	/** When it failed the last time, in Unix milliseconds. */
	at: number;
	/** For how long the chat is left alone, in milliseconds. */
	pauseMs: number;
}

/** How far a chat was read. All times are Unix seconds. */
interface Progress {
	/** The time of its latest message when all its messages were read. */
	latestRead?: number;
	/** The time of its latest message when it was read to its end the last time. */
	latestKnown?: number;
	/** Until when its messages were read for the last time. */
	readUntil: number;
	/** Where the parts begin that are still to be read, the newest first. */
	laterParts: number[];
	/** Set if it could not be read the last time. */
	failure?: Failure;
	/** Its messages that were found, as far back as it is read again, with their times. */
	found: Map<string, number>;
}

/** Reads chats that have changed, and knows how far each of them was read. */
export interface ChatReader {
	/** The new messages of some chats. Ends with the reason of the signal. */
	read: (
		client: Client,
		chats: readonly ChatWithMessages[],
		times: PassTimes,
		selection: MessageSelection,
	) => Promise<ReadChats>;
	/** Forgets what was read. */
	clear: () => void;
}

/**
 * Creates a reader that has read nothing.
 *
 * @param retryMs when a chat that could not be read is read again for the first time, in milliseconds
 * @param maxLateSeconds how old messages may be in a chat that was not read before when all were: they may have run in
 *   another one, whose ID the service has changed
 */
export function createChatReader(
	{ isOpen, waiting }: Pick<MessageStarter, 'isOpen' | 'waiting'>,
	retryMs: number,
	stopped: AbortSignal,
	maxLateSeconds = Infinity,
): ChatReader {
	/** How far each chat was read, by its ID. */
	const progresses = new Map<string, Progress>();
	/** When all chats had been read, in Unix seconds. */
	let completeAt = -Infinity;

	const progressOf = ({ id }: ChatWithMessages): Progress => {
		const progress: Progress = progresses.get(id) ?? {
			readUntil: completeAt - maxLateSeconds,
			laterParts: [],
			found: new Map(),
		};
		progresses.set(id, progress);
		return progress;
	};

	const failureOf = ({ id }: ChatWithMessages) => progresses.get(id)?.failure;
	const isDue = (chat: ChatWithMessages) => {
		const failure = failureOf(chat);
		return !failure || !isRecent(failure.at, failure.pauseMs, clock.now());
	};
	const changedChats = (chats: readonly ChatWithMessages[], { since }: PassTimes) =>
		chats
			.filter(
				({ id, lastMessageAt }) => lastMessageAt >= since && progresses.get(id)?.latestRead !== lastMessageAt,
			)
			.filter(isDue)
			// Chats that can never be read hold up no other.
			.sort((a, b) => Number(failureOf(a) !== undefined) - Number(failureOf(b) !== undefined));

	const noteFailure = (progress: Progress, error: unknown) => {
		const count = (progress.failure?.count ?? 0) + 1;
		const pauseMs = Math.min(retryMs * 2 ** (count - 1), MAX_FAILURE_PAUSE_MS);
		const isRefused = isKeyRefused(error);
		progress.failure = { problem: messageOf(error), isRefused, count, at: clock.now(), pauseMs };
	};

	/** The oldest messages of a chat that are still to be read; undefined if that fails. */
	const readPart = async (
		client: Client,
		chat: ChatWithMessages,
		times: PassTimes,
		selection: MessageSelection,
	) => {
		const progress = progressOf(chat);
		const { laterParts, readUntil } = progress;
		const since = laterParts.at(-1) ?? Math.max(times.since, readUntil - OVERLAP_SECONDS);
		const range = { since, before: laterParts.at(-2), latestKnown: progress.latestKnown };
		const part = await readMessages(client, chat, range, selection).catch((error: unknown) =>
			noteFailure(progress, error),
		);
		stopped.throwIfAborted();
		if (!part) return undefined;
		progress.failure = undefined;
		progress.laterParts = [...laterParts.slice(0, -1), ...part.laterParts];
		return part;
	};

	/** The open messages that were not found before. */
	const firstFound = (chat: ChatWithMessages, messages: FetchedMessage[]): FetchedMessage[] => {
		const { found } = progressOf(chat);
		const others = messages.filter((message) => !found.has(message.messageId) && isOpen(message));
		for (const { messageId, timestamp } of others) found.set(messageId, timestamp);
		return others;
	};

	return {
		async read(client, chats, times, selection) {
			const mayBeOnItsWay = (timestamp: number) =>
				timestamp > times.deliveredUntil && timestamp >= times.started;
			const newMessages: FetchedMessage[] = [];
			const unreadable: UnreadableField[] = [];
			const isFull = () => waiting() + newMessages.length >= MAX_WAITING;
			for (const [id, progress] of progresses)
				if (progress.failure && !chats.some((chat) => chat.id === id)) progress.failure = undefined;
			const changed = changedChats(chats, times);
			let left = changed.length;
			let failed = 0;
			let refused = 0;
			let read = 0;
			for (const chat of changed.slice(0, MAX_CHATS_PER_PASS)) {
				if (isFull() || failed >= MAX_FAILURES_PER_PASS) break;
				const part = await readPart(client, chat, times, selection);
				read++;
				if (!part) {
					failed++;
					if (failureOf(chat)?.isRefused) refused++;
					left--;
					continue;
				}
				unreadable.push(...part.unreadable);
				const arrived = part.messages.filter(({ timestamp }) => !mayBeOnItsWay(timestamp));
				newMessages.push(...firstFound(chat, arrived));
				if (noteRead(progressOf(chat), chat, times, mayBeOnItsWay(chat.lastMessageAt))) left--;
			}
			newMessages.sort((a, b) => a.timestamp - b.timestamp);
			const problems = new Set([...progresses.values()].flatMap(({ failure }) => failure?.problem ?? []));
			if (left === 0 && problems.size === 0) completeAt = times.now;
			return {
				newMessages,
				unreadable,
				left,
				isFull: isFull(),
				hasGivenUp: left > 0 && failed >= MAX_FAILURES_PER_PASS,
				problem: problems.size > 0 ? [...problems].join('; ') : undefined,
				isRefused: read > 0 && refused === read,
			};
		},
		clear: () => progresses.clear(),
	};
}

/** Whether all messages of a chat were read, up to those that may still be on their way. */
function noteRead(
	progress: Progress,
	{ lastMessageAt }: ChatWithMessages,
	{ now, deliveredUntil }: PassTimes,
	isOnItsWay: boolean,
): boolean {
	const { found, laterParts } = progress;
	// What came in until then is listed, and no longer on its way.
	const listedUntil = Math.min(deliveredUntil, now - CLOCK_MARGIN_SECONDS, lastMessageAt);
	// The latest message may be gone. What was read before it is not read again.
	const until = Math.max(progress.readUntil, listedUntil);
	for (const [messageId, timestamp] of found)
		if (timestamp < until - OVERLAP_SECONDS) found.delete(messageId);
	if (laterParts.length > 0) return false;
	progress.readUntil = until;
	progress.latestKnown = lastMessageAt;
	// Otherwise it is read again, when its latest message is old enough.
	const isOver = lastMessageAt + CLOCK_MARGIN_SECONDS <= now;
	if (isOver && !isOnItsWay) progress.latestRead = lastMessageAt;
	return true;
}
