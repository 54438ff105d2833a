import type { IDataObject } from 'n8n-workflow';

import { type Flag, flagOf, idOf, kindOf, nonEmptyText, secondsOf } from './values';
import { UnreadableField } from './unreadable';

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
	/** Whether it has a type of texts: `chat`, or the one with which they are sent. A file with a caption has another one. */
	hasTextType: boolean;
	/** Undefined if it has no text. */
	text: string | undefined;
	/** The chats of the sender and the recipient. */
	from: string | undefined;
	to: string | undefined;
	/** The message as the service sent it. */
	record: IDataObject;
}

/** Parses a message, delivered or listed. */
export function parseMessage(record: IDataObject): Message {
	const { id, timestamp, from_me, has_media, type, body, from, to } = record;
	return {
		id: idOf(id),
		seconds: secondsOf(timestamp),
		fromMe: flagOf(from_me),
		hasMedia: flagOf(has_media),
		type: idOf(type),
		hasTextType: ['chat', 'text'].includes((idOf(type) ?? 'chat').toLowerCase()),
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
export function unreadableTime({ seconds, record }: Message): UnreadableField | undefined {
	const hasTime = record.timestamp !== undefined && record.timestamp !== null;
	return hasTime && seconds === undefined
		? new UnreadableField('message.timestamp', kindOf(record.timestamp))
		: undefined;
}

/** Whether the account sent the message is not understood. */
export function unreadableSender({ from_me }: IDataObject): UnreadableField {
	return new UnreadableField('message.from_me', kindOf(from_me));
}
