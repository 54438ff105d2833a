import type { IDataObject } from 'n8n-workflow';

import { idOf, isEntered, kindOf, nonEmptyText, secondsOf } from './values';
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

/** Parses a chat, delivered or listed. */
export function parseChat(record: IDataObject): Chat {
	const type = nonEmptyText(record.type)?.toLowerCase();
	return {
		id: idOf(record.id),
		name: nonEmptyText(record.name),
		type: type === undefined || type === 'individual' ? type : 'group',
		phone: idOf(record.phone),
		lastMessageAt: secondsOf(record.last_message_at),
		record,
	};
}

/** What is not understood of a chat that is to be read, if there is anything. A time of null or '' can mean that it has no message. */
export function unreadableInChat({ id, lastMessageAt, record }: Chat): UnreadableField | undefined {
	if (id === undefined) return new UnreadableField('chat.id', kindOf(record.id));
	const { last_message_at: time } = record;
	const isUnreadable = lastMessageAt === undefined && (time === undefined || isEntered(time));
	return isUnreadable ? unreadableTime({ record }) : undefined;
}

/** When the latest message of the chat came in is not understood. */
export function unreadableTime({ record }: Pick<Chat, 'record'>): UnreadableField {
	return new UnreadableField('chat.last_message_at', kindOf(record.last_message_at));
}
