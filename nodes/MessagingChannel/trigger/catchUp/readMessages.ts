import type { IDataObject } from 'n8n-workflow';

import type { Client } from '../../api/client';
import { GET_ACCOUNT, GET_CHATS, GET_MESSAGES } from '../../api/endpoints';
import { listRecords } from '../../api/pagination';
import { recordsOf } from '../../api/records';
import { nonEmptyText } from '../../api/values';
import { passes, type EventFilter } from '../delivery/filter';
import { fetchedMessage, type FetchedMessage } from './fetchedMessage';

/** Where the message for a test is looked for: in so many of the latest chats, and among so many messages of each. */
const MAX_CHATS_FOR_TEST = 10;
const MAX_MESSAGES_FOR_TEST = 50;

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
 * The ID of the account (API spec, "System").
 *
 * @returns undefined if the service does not name it
 * @throws ApiError if the request fails
 */
export async function readAccountId(client: Client): Promise<string | undefined> {
	const [account] = recordsOf(await client.call({ endpoint: GET_ACCOUNT }));
	return nonEmptyText(account?.id);
}

/**
 * The chats with messages, the one that has been quiet longest first (API spec, "Chats").
 *
 * @throws ApiError if the request fails
 */
export async function readChats(client: Client): Promise<Chat[]> {
	const records = await listRecords(client, { endpoint: GET_CHATS }, 'none', Infinity);
	return records
		.map((record) => ({
			id: nonEmptyText(record.id) ?? '',
			lastMessageAt: Date.parse(String(record.last_message_at)) / 1000,
			record,
		}))
		.filter(({ id, lastMessageAt }) => id !== '' && !Number.isNaN(lastMessageAt))
		.sort((a, b) => a.lastMessageAt - b.lastMessageAt);
}

/**
 * The received messages of a chat that pass the filters, oldest first.
 *
 * @param since Unix time in seconds; older messages are left out
 * @throws ApiError if a request fails; UserError if the filter 'Chats' has an invalid entry
 */
export async function readMessages(
	client: Client,
	chat: Chat,
	since: number,
	selection: MessageSelection,
): Promise<FetchedMessage[]> {
	const isOld = ({ timestamp }: IDataObject) => Number(timestamp) < since;
	const messages = await listMessages(client, chat, selection, Infinity, (page) => page.some(isOld));
	return messages
		.filter(({ timestamp }) => timestamp >= since)
		.reverse()
		.sort((a, b) => a.timestamp - b.timestamp);
}

async function listMessages(
	client: Client,
	{ id: chatId, record }: Chat,
	{ accountId, filter }: MessageSelection,
	limit: number,
	isLast?: (page: IDataObject[]) => boolean,
): Promise<FetchedMessage[]> {
	const parameters = { chatId, includeRaw: false, includePresignedUrl: false };
	const request = { endpoint: GET_MESSAGES, parameters };
	const messages = await listRecords(client, request, 'cursor', limit, isLast);
	return messages
		.map((message) => fetchedMessage(accountId, record, message))
		.filter((message) => message !== undefined)
		.filter((message) => passes(message, filter));
}

/**
 * The latest received message that passes the filters, in the chats of late.
 *
 * @returns undefined if there is none
 * @throws ApiError if a request fails; UserError if the filter 'Chats' has an invalid entry
 */
export async function readLatestMessage(
	client: Client,
	selection: MessageSelection,
): Promise<FetchedMessage | undefined> {
	const chats = await readChats(client);
	for (const chat of chats.reverse().slice(0, MAX_CHATS_FOR_TEST)) {
		const [latest] = await listMessages(client, chat, selection, MAX_MESSAGES_FOR_TEST);
		if (latest) return latest;
	}
	return undefined;
}
