import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import type { Client } from '../../api/client';
import { GET_CHATS, messagesRequest } from '../../api/endpoints';
import { listRecords, timesOf } from '../../api/pagination';
import { ApiError } from '../../api/errors';
import { nonEmptyText } from '../../api/values';
import { passes, type EventFilter } from '../delivery/filter';
import { fetchedMessage, type FetchedMessage } from './fetchedMessage';

/** Where the message for a test is looked for: in so many of the latest chats, and among so many messages of each. */
const MAX_CHATS_FOR_TEST = 10;
const MAX_MESSAGES_FOR_TEST = 50;

/** If a chat has more new messages, the oldest part is read first; about 2 MB. */
const MAX_MESSAGES_IN_PART = 2_000;

/** What a message must be like. */
export interface MessageSelection {
	accountId: string | undefined;
	filter: EventFilter;
}

/** A chat in which somebody has written. */
export interface Chat {
	id: string;
	/** Unix time in seconds. */
	lastMessageAt: number;
	record: IDataObject;
}

/**
 * The chats with messages, the one that has been quiet longest first (API spec, "Chats").
 *
 * @throws ApiError if the request fails, or the service does not say when messages came in
 */
export async function readChats(client: Client): Promise<Chat[]> {
	const records = await listRecords(client, { endpoint: GET_CHATS }, 'none', Infinity);
	// Otherwise every chat would look empty.
	if (records.length > 0 && records.every(({ last_message_at: at }) => at === undefined)) throw noTimes();
	return records
		.map((record) => ({
			id: nonEmptyText(record.id) ?? '',
			// Times without a zone are in UTC (API spec, "What the service does").
			lastMessageAt: DateTime.fromISO(String(record.last_message_at), { zone: 'utc' }).toSeconds(),
			record,
		}))
		.filter(({ id, lastMessageAt }) => id !== '' && !Number.isNaN(lastMessageAt))
		.sort((a, b) => a.lastMessageAt - b.lastMessageAt);
}

function noTimes(): ApiError {
	return new ApiError({
		message: 'The service does not say when the latest message of a chat came in',
		description:
			"New messages cannot be found without it. Set 'Listen By' to 'Webhook', and report this to the provider of the service.",
		code: 'unexpected_answer',
		httpStatus: null,
	});
}

/** The time of messages, in Unix seconds. */
export interface TimeRange {
	since: number;
	/** Undefined for all messages since. */
	before?: number;
}

/** Messages of a chat. */
export interface ChatPart {
	/** Oldest first. */
	messages: FetchedMessage[];
	/** Where each part that is still to be read begins, in Unix seconds, the newest first. */
	laterParts: number[];
}

/**
 * The received messages of a chat that pass the filters. If there are many, only the oldest of them: the service lists the
 * newest first, so the times at which later parts begin are found on the way.
 *
 * @throws ApiError if a request fails; UserError if the filter 'Chats' has an invalid entry
 */
export async function readMessages(
	client: Client,
	chat: Chat,
	{ since, before }: TimeRange,
	{ accountId, filter }: MessageSelection,
): Promise<ChatPart> {
	const isLast = (page: IDataObject[]) => timesOf(page).some((time) => time < since);
	const laterParts: number[] = [];
	for (let end = before; ; end = laterParts.at(-1)) {
		const records = await listMessages(client, chat, MAX_MESSAGES_IN_PART, { before: end, isLast });
		const oldest = Math.min(...timesOf(records));
		if (records.length >= MAX_MESSAGES_IN_PART && oldest >= since && oldest + 1 !== end) {
			// Others of this second may be older.
			laterParts.push(oldest + 1);
			continue;
		}
		const messages = records
			.filter(({ timestamp }) => Number(timestamp) >= since)
			.map((message) => fetchedMessage(accountId, chat.record, message))
			.filter((message) => message !== undefined)
			.filter((message) => passes(message, filter))
			.reverse()
			.sort((a, b) => a.timestamp - b.timestamp);
		return { messages, laterParts };
	}
}

/** The messages of a chat, newest first. */
async function listMessages(
	client: Client,
	{ id: chatId }: Chat,
	limit: number,
	{ before, isLast }: { before?: number; isLast?: (page: IDataObject[]) => boolean } = {},
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
 * @throws ApiError if a request fails; UserError if the filter 'Chats' has an invalid entry
 */
export async function readLatestMessage(
	client: Client,
	{ accountId, filter }: MessageSelection,
): Promise<FetchedMessage | undefined> {
	const chats = await readChats(client);
	for (const chat of chats.reverse().slice(0, MAX_CHATS_FOR_TEST)) {
		const messages = await listMessages(client, chat, MAX_MESSAGES_FOR_TEST);
		const latest = messages
			.map((message) => fetchedMessage(accountId, chat.record, message))
			.find((message) => message && passes(message, filter));
		if (latest) return latest;
	}
	return undefined;
}
