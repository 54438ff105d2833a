import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { ChatWithMessages, Message } from '../../api/message';
import { phoneIn } from '../../recipients/recipient';
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
 * @returns undefined if the account itself sent the message, or something of it is not understood
 */
export function fetchedMessage(
	accountId: string | undefined,
	chat: ChatWithMessages,
	message: Message,
): FetchedMessage | undefined {
	const { id: messageId, seconds: timestamp, fromMe } = message;
	if (messageId === undefined || timestamp === undefined || fromMe !== false) return undefined;
	const [id, event] = [`message ${messageId}`, 'message.received'];
	const { id: chatId, name, type } = chat.record;
	const phone = chat.type === 'individual' ? { phone: chat.phone ?? phoneIn(chat.id) } : {};
	const body: IDataObject = {
		event,
		...(accountId !== undefined && { account_id: accountId }),
		chat: { id: chatId, name, ...phone, type },
		message: message.record,
	};
	return {
		id,
		type: event,
		accountId,
		body,
		chat,
		message,
		keys: keysOf(id, event, message),
		messageId,
		chatId: chat.id,
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
