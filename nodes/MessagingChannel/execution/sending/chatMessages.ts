import type { IDataObject } from 'n8n-workflow';

import type { RequestLimits } from '../../api/apiRequest';
import type { Client } from '../../api/client';
import { GET_MESSAGES, MAX_MESSAGES_PER_REQUEST, messagesRequest, RESOLVE_CHAT } from '../../api/endpoints';
import { isNotFound } from '../../api/errors';
import { listRecords } from '../../api/pagination';
import { type Message, parseMessage } from '../../api/message';
import { idOf, recordsOf, type ResponseBody } from '../../api/values';
import { unreadableResponseError } from '../../api/responseErrors';

/** The delay before each look for a message. It is in its chat only after it has left the queue of the service. */
export const SEARCH_DELAYS_MS = [1000, 2000, 4000];

/** The ID of the chat with a recipient; undefined if the service says that there is none yet, by 404 or in place of the chat. */
export async function chatIdOf(
	client: Client,
	to: string,
	limits?: RequestLimits,
): Promise<string | undefined> {
	if (to.includes('@')) return to;
	const request = { endpoint: RESOLVE_CHAT, parameters: { phone: to }, limits };
	const body = await client.call(request).catch((error: unknown) => {
		if (isNotFound(error)) return undefined;
		throw error;
	});
	const [chat] = body ? recordsOf(body) : [];
	if (!chat) return undefined;
	const id = idOf(chat.id);
	if (id === undefined) throw unreadableResponseError(RESOLVE_CHAT, 200);
	return id;
}

/** The latest messages of a chat, newest first. */
export async function latestMessages(
	client: Client,
	chatId: string,
	limits?: RequestLimits,
): Promise<Message[]> {
	const request = messagesRequest(chatId, { limit: MAX_MESSAGES_PER_REQUEST });
	return listIn(await client.call({ ...request, limits }));
}

/** A chat is read back over so many pages at most, about 4,000 messages. */
const MAX_PAGES_BACK = 20;

/**
 * All messages of a chat back to a page, or to its first message, newest first; undefined if they are too many to read.
 *
 * @param isFarEnough whether a page reaches back as far as is wanted
 */
export async function messagesBackTo(
	client: Client,
	chatId: string,
	limits: RequestLimits | undefined,
	isFarEnough: (page: Message[]) => boolean,
): Promise<Message[] | undefined> {
	let pages = 0;
	let isTooLong = false;
	const call: Client['call'] = async (page) => {
		const body = await client.call(page);
		checkIdentified(listIn(body));
		return body;
	};
	const isLast = (page: IDataObject[]) =>
		isFarEnough(page.map(parseMessage)) || (isTooLong = ++pages >= MAX_PAGES_BACK);
	const request = { ...messagesRequest(chatId), limits };
	const messages = await listRecords({ ...client, call }, request, 'cursor', Infinity, isLast);
	return isTooLong ? undefined : messages.map(parseMessage);
}

/** The latest messages of a chat, each with an ID. */
export async function identifiedMessages(
	client: Client,
	chatId: string,
	limits: RequestLimits | undefined,
): Promise<Message[]> {
	return checkIdentified(await latestMessages(client, chatId, limits));
}

/** Without their IDs, one of the messages could not be told from another. */
function checkIdentified(messages: Message[]): Message[] {
	if (messages.some(({ id }) => id === undefined)) throw unreadableResponseError(GET_MESSAGES, 200);
	return messages;
}

function listIn(body: ResponseBody): Message[] {
	if (!Array.isArray(body.data)) throw unreadableResponseError(GET_MESSAGES, 200);
	return recordsOf(body).map(parseMessage);
}
