import type { IDataObject } from 'n8n-workflow';

import { isRecord } from '../../api/isRecord';

/** A header that Node joined from several is one text with commas; an array only where Node keeps them apart. */
export type Headers = Record<string, string | string[] | undefined>;

/** An event that the service signed (API spec, "Events"). */
export interface ServiceEvent {
	id: string;
	type: string;
	/** The account it belongs to, if it says so. */
	accountId?: string;
	/** The body as it was delivered. */
	body: IDataObject;
	/** What it is recognised by when it comes again. */
	keys: string[];
}

/** Deeper nesting than this would break n8n when it stores the event; the service's own events have three levels. */
const DEEPEST = 100;

/** An id is a UUID or the like. What is longer only fills the memory. */
const LONGEST_ID = 256;

/** The value of a header that was sent exactly once. */
export function single(header: string | string[] | undefined): string | undefined {
	return typeof header === 'string' ? header : undefined;
}

/** The event's id (API spec, "Delivery request headers"). */
export function eventIdOf(headers: Headers): string | undefined {
	const id = single(headers['x-service-event-id'])?.trim();
	return id !== undefined && id !== '' && id.length <= LONGEST_ID ? id : undefined;
}

/**
 * Reads a signed body. Its signature covers the bytes, so these are read here and not taken as whatever the unsigned
 * Content-Type header made of them.
 *
 * @returns undefined when it is not a JSON object in UTF-8, or nested too deeply
 */
export function readBody(rawBody: Buffer): IDataObject | undefined {
	const text = rawBody.toString();
	// Bytes that are not UTF-8 do not survive the way there and back.
	if (!Buffer.from(text).equals(rawBody) || isDeeperThan(text, DEEPEST)) return undefined;
	const value = parsed(text.replace(/^\uFEFF/, ''));
	return isRecord(value) ? (value as IDataObject) : undefined;
}

/** The event in a body. What the signed body says goes before the headers, which are not signed. */
export function eventOf(id: string, headers: Headers, body: IDataObject): ServiceEvent {
	const signedType = textOf(body.event);
	return {
		id,
		type: signedType ?? single(headers['x-service-event']) ?? '',
		accountId: textOf(body.account_id) ?? single(headers['x-service-account-id']),
		body,
		keys: keysOf(id, signedType, body),
	};
}

/**
 * What an event is recognised by: its id (Delivery rules 2), which is not signed. A received message is also recognised by
 * its own id, which stands in the signed body, so that a captured delivery of it is known under any event id. Nothing in
 * the body of another event is known to be its own: two of them may rightly have the same.
 */
function keysOf(id: string, signedType: string | undefined, { message }: IDataObject): string[] {
	const byId = `id ${id}`;
	if (signedType !== 'message.received' || !isRecord(message)) return [byId];
	const messageId = textOf(message.id);
	return messageId === undefined || messageId.length > LONGEST_ID ? [byId] : [byId, `message ${messageId}`];
}

function isDeeperThan(json: string, levels: number): boolean {
	let depth = 0;
	let inText = false;
	for (let at = 0; at < json.length; at++) {
		const character = json[at];
		if (inText) {
			if (character === '\\') at++;
			else if (character === '"') inText = false;
		} else if (character === '"') inText = true;
		else if (character === '{' || character === '[') depth++;
		else if (character === '}' || character === ']') depth--;
		if (depth > levels) return true;
	}
	return false;
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

function textOf(value: unknown): string | undefined {
	return typeof value === 'string' && value !== '' ? value : undefined;
}
