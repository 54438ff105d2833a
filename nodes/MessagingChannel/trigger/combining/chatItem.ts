import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { parseMessage } from '../../api/message';
import { idOf, recordOrEmpty } from '../../api/values';

/** A message of a chat, with the event that brought it. */
export interface ChatMessage {
	eventId: string;
	message: IDataObject;
}

/** The item that stands for several messages of one chat, the oldest first. Events can arrive in any order. */
export function chatItemOf(items: readonly INodeExecutionData[]): INodeExecutionData {
	const events = items.map(({ json }) => json);
	const last = events.at(-1) ?? {};
	const arrived = events.map((event): ChatMessage => ({
		eventId: String(event.event_id),
		message: recordOrEmpty(event.message) as IDataObject,
	}));
	const timeOf = ({ message }: ChatMessage) => parseMessage(message).seconds ?? NaN;
	// A time that is not understood compares with no other.
	const isOrdered = !arrived.map(timeOf).includes(NaN);
	const messages = isOrdered ? arrived.sort((one, other) => timeOf(one) - timeOf(other)) : arrived;
	// ISO times of one length sort as texts.
	const deliveredAt = events.map(({ delivered_at }) => String(delivered_at)).sort();
	const { account_id, chat } = last;
	return {
		json: {
			// With the chat, it tells the memories of n8n's Agents apart.
			account_id,
			chat,
			...combinedFieldsOf(messages),
			delivered_at: deliveredAt.at(-1),
		},
	};
}

/** The messages in such an item; undefined for any other item. */
export function messagesIn({ json }: INodeExecutionData): ChatMessage[] | undefined {
	const { event_id, event_ids, messages } = json;
	if (event_id !== undefined || !Array.isArray(event_ids) || !Array.isArray(messages)) return undefined;
	return messages.map((message, index) => ({
		eventId: String(event_ids[index]),
		message: recordOrEmpty(message) as IDataObject,
	}));
}

/** The item with these messages instead. */
export function withMessages(item: INodeExecutionData, messages: readonly ChatMessage[]): INodeExecutionData {
	return { ...item, json: { ...item.json, ...combinedFieldsOf(messages) } };
}

function combinedFieldsOf(messages: readonly ChatMessage[]): IDataObject {
	const texts = messages.map(({ message }) => parseMessage(message).text);
	return {
		messages: messages.map(({ message }) => message),
		text: texts.filter((text) => text !== undefined).join('\n'),
		event_ids: messages.map(({ eventId }) => eventId),
	};
}

/** What tells the chats of events apart; undefined if an event names none. */
export function chatKeyOf({ chat, message }: IDataObject): string | undefined {
	return idOf(recordOrEmpty(chat).id) ?? idOf(recordOrEmpty(message).from);
}
