import type { ChatWithMessages } from '../../api/message';
import type { Client } from '../../api/client';
import { isKeyRefused, isOwn404, messageOf } from '../../api/errors';
import { UnreadableField } from '../../api/unreadable';
import { clock } from '../account/clock';
import type { FetchedMessage } from './fetchedMessage';
import type { MessageStarter } from './messageStarter';
import { readMessages, type ChatPart, type MessageSelection, type TimeRange } from './readMessages';

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
	/** Whether no chat could be read, and several cannot be for a reason that others can have, too. A single one can be broken. */
	isDown: boolean;
}

/** Why a chat could not be read. */
interface Failure {
	problem: string;
	/** Whether the service refused the API key. */
	isRefused: boolean;
	/** Whether it says nothing of other chats: the service does not know this one, or its messages are not understood. */
	isOfChat: boolean;
	/** How often in a row it failed. */
	count: number;
	/** Until when the chat is left alone, by `clock.elapsed`. */
	until: number;
}

/** How far a chat was read. All times are Unix seconds. */
interface Progress {
	/** The time of its latest message when all its messages were read. */
	latestRead?: number;
	/** The time of its latest message when it was read to its end the last time. */
	latestKnown?: number;
	/** When it was read so for the first time. */
	knownSince?: number;
	/** When it is read once more, for what the service lists late. */
	againAt?: number;
	/** The ID of the oldest message that was listed the first time: nothing that is wanted is older. */
	lastId?: string;
	/** Until when its messages were read for the last time. */
	readUntil: number;
	/** Where the parts begin that are still to be read, the newest first. */
	laterParts: readonly number[];
	/** Set if it could not be read the last time. */
	failure?: Failure;
	/** The times of its messages that were found, by their IDs, as far back as it is read again. */
	found: ReadonlyMap<string, number>;
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

	const progressOf = ({ id }: ChatWithMessages): Progress =>
		progresses.get(id) ?? { readUntil: completeAt - maxLateSeconds, laterParts: [], found: new Map() };
	const failureOf = ({ id }: ChatWithMessages) => progresses.get(id)?.failure;
	/** The next pass can follow in a second. A message of the last minutes alone is no reason to read its chat again. */
	const isAhead = ({ id, lastMessageAt }: ChatWithMessages, times: PassTimes): boolean => {
		const { latestRead, latestKnown, againAt = 0 } = progresses.get(id) ?? {};
		const isKnown = latestKnown === lastMessageAt && lastMessageAt <= times.now;
		const isEarly = mayBeOnItsWay(lastMessageAt, times) || times.now < againAt;
		return latestRead === lastMessageAt || (isKnown && isEarly);
	};
	/** Whether it was read, but more may come in at the time of its latest message, or be listed late. */
	const isReadAgain = ({ id, lastMessageAt }: ChatWithMessages, { now }: PassTimes): boolean => {
		const { latestKnown, againAt } = progresses.get(id) ?? {};
		const isLate = againAt !== undefined || lastMessageAt + CLOCK_MARGIN_SECONDS > now;
		return latestKnown === lastMessageAt && isLate;
	};
	const rankOf = (chat: ChatWithMessages, times: PassTimes) =>
		failureOf(chat) ? 2 : Number(isReadAgain(chat, times));
	const changedChats = (chats: readonly ChatWithMessages[], times: PassTimes) =>
		chats
			.filter((chat) => chat.lastMessageAt >= times.since && !isAhead(chat, times))
			.filter((chat) => clock.elapsed() >= (failureOf(chat)?.until ?? -Infinity))
			// Chats that can never be read hold up no other, nor do those in which more can only come in.
			.sort((a, b) => rankOf(a, times) - rankOf(b, times));

	return {
		async read(client, chats, times, selection) {
			const newMessages: FetchedMessage[] = [];
			const unreadable: UnreadableField[] = [];
			const failures: Failure[] = [];
			const isFull = () => waiting() + newMessages.length >= MAX_WAITING;
			for (const [id, progress] of progresses)
				if (progress.failure && !chats.some((chat) => chat.id === id))
					progresses.set(id, { ...progress, failure: undefined });
			const changed = changedChats(chats, times);
			const unread = new Set(changed.filter((chat) => !isReadAgain(chat, times)));
			let read = 0;
			for (const chat of changed.slice(0, MAX_CHATS_PER_PASS)) {
				if (isFull() || failures.length >= MAX_FAILURES_PER_PASS) break;
				const progress = progressOf(chat);
				const part = await readMessages(client, chat, nextRange(progress, times), selection).catch(
					(error: unknown) => ({ error }),
				);
				stopped.throwIfAborted();
				read++;
				if ('error' in part) {
					const failure = failureAfter(progress.failure, part.error, retryMs);
					failures.push(failure);
					if (part.error instanceof UnreadableField) unreadable.push(part.error);
					progresses.set(chat.id, { ...progress, failure });
					unread.delete(chat);
					continue;
				}
				unreadable.push(...part.unreadable);
				const found = part.messages.filter(
					(message) =>
						!mayBeOnItsWay(message.timestamp, times) &&
						!progress.found.has(message.messageId) &&
						isOpen(message),
				);
				newMessages.push(...found);
				const next = advance(progress, part, found, chat, times);
				progresses.set(chat.id, next);
				if (next.laterParts.length === 0) unread.delete(chat);
			}
			newMessages.sort((a, b) => a.timestamp - b.timestamp);
			const failing = [...progresses.values()].flatMap(({ failure }) => failure ?? []);
			const problems = new Set(failing.map(({ problem }) => problem));
			const outages = failing.filter(({ isOfChat, isRefused }) => !isOfChat && !isRefused);
			if (unread.size === 0 && problems.size === 0) completeAt = times.now;
			return {
				newMessages,
				unreadable,
				left: unread.size,
				isFull: isFull(),
				hasGivenUp: unread.size > 0 && failures.length >= MAX_FAILURES_PER_PASS,
				problem: problems.size > 0 ? [...problems].join('; ') : undefined,
				isRefused: read > 0 && failures.filter(({ isRefused }) => isRefused).length === read,
				isDown: outages.length >= MAX_FAILURES_PER_PASS && failures.length === read,
			};
		},
		clear: () => progresses.clear(),
	};
}

/** Whether a message may still be delivered. The time of a chat's latest message can be without the fraction that the message has. */
function mayBeOnItsWay(timestamp: number, { deliveredUntil, started }: PassTimes): boolean {
	return Math.floor(timestamp) > deliveredUntil && timestamp >= started;
}

/** The oldest messages of a chat that are still to be read. */
function nextRange({ laterParts, readUntil, lastId }: Progress, { since }: PassTimes): TimeRange {
	const from = laterParts.at(-1) ?? Math.max(since, readUntil - OVERLAP_SECONDS);
	return { since: from, before: laterParts.at(-2), lastId };
}

/** One failure more of a chat. */
function failureAfter(before: Failure | undefined, error: unknown, retryMs: number): Failure {
	const count = (before?.count ?? 0) + 1;
	const pauseMs = Math.min(retryMs * 2 ** (count - 1), MAX_FAILURE_PAUSE_MS);
	return {
		problem: messageOf(error),
		isRefused: isKeyRefused(error),
		isOfChat: isOwn404(error) || error instanceof UnreadableField,
		count,
		until: clock.elapsed() + pauseMs,
	};
}

/** How far a chat is read when its next part was read: up to the messages that may still be on their way. */
function advance(
	{ readUntil, laterParts, found, ...before }: Progress,
	part: Pick<ChatPart, 'messages' | 'laterParts' | 'lastId'>,
	messages: readonly FetchedMessage[],
	{ lastMessageAt }: ChatWithMessages,
	times: PassTimes,
): Progress {
	const { now, deliveredUntil } = times;
	// What came in until then is listed, and no longer on its way.
	const listedUntil = Math.min(deliveredUntil, now - CLOCK_MARGIN_SECONDS, lastMessageAt);
	// The latest message may be gone. What was read before it is not read again.
	const until = Math.max(readUntil, listedUntil);
	const known = [...found, ...messages.map((each) => [each.messageId, each.timestamp] as const)];
	const next: Progress = {
		...before,
		readUntil,
		// What may still be delivered is read when it is old enough, with what came before it.
		laterParts: [...laterParts.slice(0, -1), ...part.laterParts].filter(
			(from) => !mayBeOnItsWay(from, times),
		),
		lastId: before.lastId ?? part.lastId,
		failure: undefined,
		found: new Map(known.filter(([, timestamp]) => timestamp >= until - OVERLAP_SECONDS)),
	};
	if (next.laterParts.length > 0) return next;
	const knownSince = (before.latestKnown === lastMessageAt ? before.knownSince : undefined) ?? now;
	// The times of the chats can be behind, or those of another zone. One without seconds is up to a minute ahead.
	const chatTime = Math.min(lastMessageAt, knownSince + OVERLAP_SECONDS);
	const latest = Math.max(chatTime, ...part.messages.map(({ timestamp }) => timestamp));
	// A chat whose latest message is too new is read again when that is old enough.
	const isOver = latest + CLOCK_MARGIN_SECONDS <= now && !mayBeOnItsWay(latest, times);
	const againAt = isOver ? latest + OVERLAP_SECONDS : undefined;
	const latestRead = againAt !== undefined && againAt <= now ? lastMessageAt : before.latestRead;
	return { ...next, readUntil: until, latestKnown: lastMessageAt, knownSince, latestRead, againAt };
}
