import { jsonParse, type IDataObject } from 'n8n-workflow';

import { type Chat, type Message, parseChat, parseMessage } from '../../api/message';
import { idOf, isRecord, nonEmptyText, recordOrEmpty } from '../../api/values';

/** Node joins most repeated headers into one text with commas, and keeps some as an array. */
export type Headers = Record<string, string | string[] | undefined>;

/** An event that the service signed (API spec, "Events"). */
export interface ServiceEvent {
	id: string;
	type: string;
	/** The account ID, if the event has one. */
	accountId?: string;
	/** The body as delivered, also with a type that only a header has. */
	body: IDataObject;
	/** Its chat and its message. What is missing is undefined. */
	chat: Chat;
	message: Message;
	/** The keys of the event. Two events with a common key are duplicates. */
	keys: string[];
}

/** Deeper nesting would break n8n when it stores the event. The service's own events have three levels. */
const MAX_DEPTH = 100;

/** In characters. IDs are about as long as a UUID; longer ones would only fill the memory. */
const MAX_ID_LENGTH = 256;

/** The value of a header; undefined if it is missing or Node kept several values. */
export function singleHeader(header: string | string[] | undefined): string | undefined {
	return typeof header === 'string' ? header : undefined;
}

/** The event ID (API spec, "Delivery request headers"); undefined if it is missing, empty or too long. */
export function eventIdOf(headers: Headers): string | undefined {
	const id = singleHeader(headers['x-service-event-id'])?.trim();
	return id !== undefined && id !== '' && id.length <= MAX_ID_LENGTH ? id : undefined;
}

/**
 * Parses a signed body. The signature covers the raw bytes, so n8n's parsed body is not used: it depends on the unsigned
 * Content-Type header.
 *
 * @returns undefined if the body is not a JSON object in UTF-8, or is nested too deeply
 */
export function readBody(rawBody: Buffer): IDataObject | undefined {
	const text = rawBody.toString();
	// Bytes that are not valid UTF-8 change when they are decoded and encoded again.
	if (!Buffer.from(text).equals(rawBody)) return undefined;
	const value = jsonParse<unknown>(text.replace(/^\uFEFF/, ''), { fallbackValue: null });
	return isRecord(value) && isWithinDepth(value, MAX_DEPTH) ? (value as IDataObject) : undefined;
}

/** The event in a body. The signed body takes precedence over the headers, which are not signed. */
export function eventOf(id: string, headers: Headers, body: IDataObject): ServiceEvent {
	const type = nonEmptyText(body.event) ?? singleHeader(headers['x-service-event']) ?? '';
	const message = parseMessage(recordOrEmpty(body.message) as IDataObject);
	return {
		id,
		type,
		accountId: idOf(body.account_id) ?? singleHeader(headers['x-service-account-id']),
		body: [body.event, ''].includes(type) ? body : { ...body, event: type },
		chat: parseChat(recordOrEmpty(body.chat) as IDataObject),
		message,
		keys: keysOf(id, type, message),
	};
}

/**
 * The keys of an event: its ID (API spec, "Delivery rules" 2), and the message ID of a received message. The message ID
 * is signed, so a replayed delivery with a forged event ID is still a duplicate. Other events have no such key, because
 * two of them can rightly name the same message.
 */
export function keysOf(id: string, type: string, { id: messageId }: Message): string[] {
	const hasKey = type === 'message.received' && messageId !== undefined && messageId.length <= MAX_ID_LENGTH;
	return hasKey ? [`id ${id}`, `message ${messageId}`] : [`id ${id}`];
}

function isWithinDepth(value: unknown, levels: number): boolean {
	if (typeof value !== 'object' || value === null) return true;
	return levels > 0 && Object.values(value).every((each) => isWithinDepth(each, levels - 1));
}
