import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { numberInChatId } from '../../api/chatId';
import { nonEmptyText, recordOrEmpty } from '../../api/values';
import { keysOf, type ServiceEvent } from '../delivery/event';

/** A received message that was fetched instead of delivered. */
export interface FetchedMessage extends ServiceEvent {
	messageId: string;
	chatId: string;
	/** When it was received, in Unix seconds. */
	timestamp: number;
}

/**
 * The event that the service delivers for a message (API spec, "Body of `message.received`").
 *
 * @param chat the chat as the service lists it
 * @returns undefined if the account itself sent the message, or the message cannot be recognized again
 */
export function fetchedMessage(
	accountId: string | undefined,
	chat: IDataObject,
	message: IDataObject,
): FetchedMessage | undefined {
	const messageId = nonEmptyText(message.id);
	const chatId = nonEmptyText(chat.id);
	const timestamp = Number(message.timestamp);
	if (messageId === undefined || chatId === undefined || !(timestamp > 0) || message.from_me === true)
		return undefined;
	const { name, type } = chat;
	const phone = type === 'individual' ? { phone: numberInChatId(chatId) } : {};
	const body: IDataObject = {
		event: 'message.received',
		...(accountId !== undefined && { account_id: accountId }),
		chat: { id: chatId, name, ...phone, type },
		message,
	};
	const id = `message ${messageId}`;
	return {
		id,
		type: 'message.received',
		accountId,
		body,
		keys: keysOf(id, body),
		messageId,
		chatId,
		timestamp,
	};
}

/**
 * The item of a fetched message.
 *
 * @param now Unix time in milliseconds
 */
export function fetchedItem({ id, body }: FetchedMessage, now: number): INodeExecutionData {
	return { json: { ...body, event_id: id, delivered_at: new Date(now).toISOString(), fetched: true } };
}

/** The ID of the message in the item of a message, delivered or fetched; undefined for any other item. */
export function messageIdIn(json: IDataObject): string | undefined {
	return json.event === 'message.received' ? nonEmptyText(recordOrEmpty(json.message).id) : undefined;
}
