import partition from 'lodash/partition';
import sortBy from 'lodash/sortBy';
import uniqBy from 'lodash/uniqBy';
import type { IDataObject } from 'n8n-workflow';

import {
	type Chat,
	type ChatList,
	type ChatWithMessages,
	type Message,
	parseChat,
	parseMessage,
	unreadableChatTime,
	unreadableInChat,
	unreadableInMessage,
} from '../../api/message';
import type { Client } from '../../api/client';
import { GET_CHATS, messagesRequest } from '../../api/endpoints';
import { listRecords, timesOf, type IsLast } from '../../api/pagination';
import { isKeyRefused } from '../../api/errors';
import type { UnreadableField } from '../../api/unreadable';
import { idOf } from '../../api/values';
import { passes, unreadableFor, type EventFilter } from '../delivery/filter';
import { fetchedMessage, type FetchedMessage } from './fetchedMessage';

/** Where the message for a test is looked for: in so many of the latest chats, and among so many messages of each. */
const MAX_CHATS_FOR_TEST = 10;
const MAX_MESSAGES_FOR_TEST = 50;

/** So many chats may fail: a service that does not respond must not be asked for all of them. */
const MAX_FAILURES_FOR_TEST = 3;

/** If a chat has more new messages, the oldest part is read first; about 2 MB. */
const MAX_MESSAGES_IN_PART = 2_000;

/** What a message must be like. */
export interface MessageSelection {
	accountId: string | undefined;
	filter: EventFilter;
}

/**
 * The chats of the account (API spec, "Chats").
 *
 * @throws ApiError if a request fails; UnreadableField if none of the chats is understood, or none has a time, and the first of
 *   them has a message all the same
 */
export async function readChats(client: Client): Promise<ChatList> {
	const listed = (await listRecords(client, { endpoint: GET_CHATS }, 'none', Infinity)).map(parseChat);
	const understood = listed.filter((chat) => unreadableInChat(chat) === undefined);
	const unreadable = listed.map(unreadableInChat).filter((problem) => problem !== undefined);
	if (understood.length === 0 && unreadable[0]) throw unreadable[0];
	const [chats, [quiet]] = partition(understood, hasTime);
	if (chats.length === 0 && quiet && (await hasMessage(client, quiet))) throw unreadableChatTime(quiet);
	// Of a chat that is listed twice, the latest message counts.
	const latestFirst = sortBy(chats, 'lastMessageAt').reverse();
	return { chats: uniqBy(latestFirst, 'id').reverse(), unreadable };
}

function hasTime(chat: Chat): chat is ChatWithMessages {
	return chat.id !== undefined && chat.lastMessageAt !== undefined;
}

async function hasMessage(client: Client, { id = '' }: Chat): Promise<boolean> {
	return (await listMessages(client, { id }, 1)).length > 0;
}

/** The time of messages, in Unix seconds. */
export interface TimeRange {
	since: number;
	/** Undefined for all messages since. */
	before?: number;
	/** The ID of the last message that was listed before: nothing that is wanted is older. */
	lastId?: string;
}

/** Messages of a chat. */
export interface ChatPart {
	/** Oldest first. */
	messages: FetchedMessage[];
	/** What is not understood of others. */
	unreadable: UnreadableField[];
	/** Where each part that is still to be read begins, in Unix seconds, the newest first. */
	laterParts: number[];
	/** The ID of the last message in the list, the oldest one. */
	lastId?: string;
}

/**
 * The received messages of a chat that pass the filters. If there are many, only the oldest of them: the service lists the
 * newest first, so the times at which later parts begin are found on the way.
 *
 * @throws ApiError if a request fails; UserError if the filter 'Chats' has an invalid entry
 */
export async function readMessages(
	client: Client,
	chat: ChatWithMessages,
	{ since, before, lastId }: TimeRange,
	{ accountId, filter }: MessageSelection,
): Promise<ChatPart> {
	// A short page need not be the last one.
	const isLast: IsLast = (page) =>
		timesOf(page).some((time) => time < since) ||
		page.some(({ id }) => lastId !== undefined && idOf(id) === lastId);
	const laterParts: number[] = [];
	for (let end = before; ; end = laterParts.at(-1)) {
		const records = await listMessages(client, chat, MAX_MESSAGES_IN_PART, { before: end, isLast });
		const oldest = Math.min(...timesOf(records));
		const isPart = oldest >= since && oldest < Infinity && oldest + 1 !== end;
		if (isPart && records.length >= MAX_MESSAGES_IN_PART) {
			// Others of this second may be older.
			laterParts.push(oldest + 1);
			continue;
		}
		const parsed = records.map(parseMessage).filter(({ seconds = Infinity }) => seconds >= since);
		const passing = parsed
			.map((message) => fetchedMessage(accountId, chat, message))
			.filter((message) => message !== undefined)
			.filter((message) => passes(message, filter));
		const messages = passing.filter((message) => !unreadableFor(message, filter));
		messages.reverse().sort((a, b) => a.timestamp - b.timestamp);
		const unclear = passing.map((message) => unreadableFor(message, filter));
		const unreadable = [...unreadableIn(parsed), ...unclear.filter((problem) => problem !== undefined)];
		return { messages, unreadable, laterParts, lastId: idOf(records.at(-1)?.id) };
	}
}

function unreadableIn(messages: readonly Message[]): UnreadableField[] {
	return messages.map(unreadableInMessage).filter((problem) => problem !== undefined);
}

/** The messages of a chat, newest first. */
async function listMessages(
	client: Client,
	{ id: chatId }: Pick<ChatWithMessages, 'id'>,
	limit: number,
	{ before, isLast }: { before?: number; isLast?: IsLast } = {},
): Promise<IDataObject[]> {
	const { endpoint, parameters } = messagesRequest(chatId);
	const end = before !== undefined && { before: new Date(before * 1000).toISOString() };
	const request = { endpoint, parameters: { ...parameters, ...end } };
	return await listRecords(client, request, 'cursor', limit, isLast);
}

/**
 * The latest received message that passes the filters, in the chats of late.
 *
 * @returns undefined if there is none
 * @throws ApiError if the chats cannot be read, or several of them, or one without which there is no message; UnreadableField if
 *   nothing that was read is understood; UserError if the filter 'Chats' has an invalid entry
 */
export async function readLatestMessage(
	client: Client,
	{ accountId, filter }: MessageSelection,
): Promise<FetchedMessage | undefined> {
	const { chats } = await readChats(client);
	let problem: unknown;
	let failures = 0;
	const failed = (error: unknown): [] => {
		if (isKeyRefused(error) || ++failures === MAX_FAILURES_FOR_TEST) throw error;
		problem ??= error;
		return [];
	};
	for (const chat of chats.reverse().slice(0, MAX_CHATS_FOR_TEST)) {
		const listed = await listMessages(client, chat, MAX_MESSAGES_FOR_TEST).catch(failed);
		const messages = listed.map(parseMessage);
		const latest = messages
			.map((message) => fetchedMessage(accountId, chat, message))
			.find((message) => message && passes(message, filter));
		const unclear = latest && unreadableFor(latest, filter);
		if (latest && !unclear) return latest;
		problem ??= unclear;
		const unreadable = unreadableIn(messages);
		if (unreadable.length === messages.length) problem ??= unreadable[0];
	}
	if (problem) throw problem;
	return undefined;
}
