import type { IDataObject } from 'n8n-workflow';

import type { RequestLimits } from '../../api/apiRequest';
import type { Client } from '../../api/client';
import { GET_MESSAGES, MAX_MESSAGES_PER_REQUEST, messagesRequest, RESOLVE_CHAT } from '../../api/endpoints';
import { isNotFound } from '../../api/errors';
import { idOf } from '../../api/reading';
import { recordsOf } from '../../api/records';
import { unreadableResponseError } from '../../api/responseErrors';

/** The delay before each look for a message. It is in its chat only after it has left the queue of the service. */
export const SEARCH_DELAYS_MS = [1000, 2000, 4000];

/**
 * The ID of the chat with a recipient.
 *
 * @param to a phone number or chat id
 * @returns undefined if the service says that there is no such chat yet
 * @throws ApiError if it does not say so
 */
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
	if (!body) return undefined;
	const id = idOf(recordsOf(body)[0]?.id);
	if (id === undefined) throw unreadableResponseError(RESOLVE_CHAT, 200);
	return id;
}

/**
 * The latest messages of a chat, newest first.
 *
 * @throws ApiError also if the response is not a list
 */
export async function latestMessages(
	client: Client,
	chatId: string,
	limits?: RequestLimits,
): Promise<IDataObject[]> {
	const request = messagesRequest(chatId, { limit: MAX_MESSAGES_PER_REQUEST });
	const body = await client.call({ ...request, limits });
	if (!Array.isArray(body.data)) throw unreadableResponseError(GET_MESSAGES, 200);
	return recordsOf(body);
}

/**
 * The same, where no message may count as missing.
 *
 * @throws ApiError also if the ID of a message is not understood
 */
export async function identifiedMessages(
	client: Client,
	chatId: string,
	limits: RequestLimits | undefined,
): Promise<IDataObject[]> {
	const messages = await latestMessages(client, chatId, limits);
	if (messages.some(({ id }) => idOf(id) === undefined)) {
		throw unreadableResponseError(GET_MESSAGES, 200);
	}
	return messages;
}
