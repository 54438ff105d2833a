import type { IDataObject } from 'n8n-workflow';

import { type Flag, flagOf, idOf, isEntered, kindOf, nonEmptyText, secondsOf } from './values';
import { UnreadableField } from './unreadable';

/** A chat of the account (API spec, "Resources and their fields"). */
export interface Chat {
	/** Undefined if it cannot be recognized again. */
	id: string | undefined;
	name: string | undefined;
	/** Undefined if the service does not say. The API names only `individual`, so any other type counts as a group. */
	type: 'individual' | 'group' | undefined;
	/** The phone number as the service writes it. */
	phone: string | undefined;
	/** When its latest message came in, in Unix seconds, perhaps with fractions; undefined if that is not known. */
	lastMessageAt: number | undefined;
	/** The chat as the service sent it. */
	record: IDataObject;
}

/** A chat with messages. */
export interface ChatWithMessages extends Chat {
	id: string;
	lastMessageAt: number;
}

/** The chats of an account. */
export interface ChatList {
	/** Those with messages; the one that has been quiet longest first. */
	chats: ChatWithMessages[];
	/** What is not understood of others. */
	unreadable: UnreadableField[];
}

/** A time without seconds, in whose minute further messages can come in. */
const WHOLE_MINUTE = /[T ]\d\d:\d\d(?![:\d])/i;

/** Parses a chat, delivered or listed. */
export function parseChat(record: IDataObject): Chat {
	const type = nonEmptyText(record.type)?.toLowerCase();
	const seconds = secondsOf(record.last_message_at);
	const isMinute = WHOLE_MINUTE.test(String(record.last_message_at));
	return {
		id: idOf(record.id),
		name: nonEmptyText(record.name),
		type: type === undefined || type === 'individual' ? type : 'group',
		phone: idOf(record.phone),
		lastMessageAt: seconds !== undefined && isMinute ? seconds + 59 : seconds,
		record,
	};
}

/** What is not understood of a chat that is to be read, if there is anything. A time of null or '' can mean that it has no message. */
export function unreadableInChat({ id, lastMessageAt, record }: Chat): UnreadableField | undefined {
	if (id === undefined) return new UnreadableField('chat.id', kindOf(record.id));
	const { last_message_at: time } = record;
	const isUnreadable = lastMessageAt === undefined && (time === undefined || isEntered(time));
	return isUnreadable ? unreadableChatTime({ record }) : undefined;
}

/** When the latest message of the chat came in is not understood. */
export function unreadableChatTime({ record }: Pick<Chat, 'record'>): UnreadableField {
	return new UnreadableField('chat.last_message_at', kindOf(record.last_message_at));
}

/** A message of a chat (API spec, "Resources and their fields"). */
export interface Message {
	/** Undefined if it cannot be recognized again. */
	id: string | undefined;
	/** When it was sent or received, in Unix seconds, perhaps with fractions; undefined if that is not known. */
	seconds: number | undefined;
	/** Whether the account sent it. Only true means sent, and only false received. */
	fromMe: Flag;
	hasMedia: Flag;
	/** Its type as the service writes it; undefined if the service does not say. */
	type: string | undefined;
	/** Whether it has a type of texts. A file with a caption has another one. */
	hasTextType: boolean;
	/** Undefined if it has no text. */
	text: string | undefined;
	/** The chats of the sender and the recipient. */
	from: string | undefined;
	to: string | undefined;
	/** The message as the service sent it. */
	record: IDataObject;
}

/** The types of texts: that of received ones, and the one with which they are sent. */
export const TEXT_TYPES = ['chat', 'text'];

/** Parses a message, delivered or listed. */
export function parseMessage(record: IDataObject): Message {
	const { id, timestamp, from_me, has_media, type, body, from, to } = record;
	return {
		id: idOf(id),
		seconds: secondsOf(timestamp),
		fromMe: flagOf(from_me),
		hasMedia: flagOf(has_media),
		type: idOf(type),
		hasTextType: TEXT_TYPES.includes((idOf(type) ?? 'chat').toLowerCase()),
		text: nonEmptyText(body),
		from: idOf(from),
		to: idOf(to),
		record,
	};
}

/** What is not understood of a message that must be recognized, placed in time, and known as received or sent. */
export function unreadableInMessage({ id, seconds, fromMe, record }: Message): UnreadableField | undefined {
	if (id === undefined) return new UnreadableField('message.id', kindOf(record.id));
	if (seconds === undefined) return new UnreadableField('message.timestamp', kindOf(record.timestamp));
	return typeof fromMe === 'boolean' ? undefined : unreadableSender(record);
}

/** What is not understood of the text of a message that is one, if there is anything. */
export function unreadableText({ hasTextType, record }: Message): UnreadableField | undefined {
	const isText = ['string', 'undefined'].includes(typeof record.body) || record.body === null;
	return isText || !hasTextType ? undefined : new UnreadableField('message.body', kindOf(record.body));
}

/** What is not understood of the time of a message, if it has one. */
export function unreadableMessageTime({ seconds, record }: Message): UnreadableField | undefined {
	const hasTime = record.timestamp !== undefined && record.timestamp !== null;
	return hasTime && seconds === undefined
		? new UnreadableField('message.timestamp', kindOf(record.timestamp))
		: undefined;
}

/** Whether the account sent the message is not understood. */
export function unreadableSender({ from_me }: IDataObject): UnreadableField {
	return new UnreadableField('message.from_me', kindOf(from_me));
}
