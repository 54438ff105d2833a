import { digestOf } from '../digest';
import { textIn, type Send } from '../send';

/** A send with an ID of the user. */
export interface IdentifiedSend extends Send {
	/** Identifies the request ID and the account, and reveals neither. */
	requestKey: string;
}

/** Stored before the request is sent. Removed only if it was certainly not made. */
export const begunKey = (request: string): string => `id ${request}`;

/** Stored before a text is sent. */
const textKey = (request: string, text: string) => `text ${request} ${text}`;

/** Stored when the request is confirmed. */
export const madeKey = (request: string): string => `made ${request}`;

/**
 * Stored while the other keys are read, because reading a key also stores it. If n8n is killed meanwhile, this key remains,
 * and the others prove nothing.
 */
export const readingKey = (request: string): string => `reading ${request}`;

/** Stored while executions run, and permanently after one that left a request unconfirmed. */
export const RUNNING_KEY = 'running';

/** Stored with each batch; see `sendTimes`. */
export const timeKey = (step: number): string => `time ${step}`;

/**
 * What identifies the sends of a request ID; see `Send`.
 *
 * @param sender identifies the node
 */
export function requestKeysOf(
	sender: string,
	accountDigest: string,
	requestId: string,
): Required<Pick<Send, 'requestId' | 'requestKey' | 'id'>> {
	const requestKey = digestOf(JSON.stringify([accountDigest, requestId]));
	// Another node can use the same IDs for other messages.
	return {
		requestId,
		requestKey,
		id: JSON.stringify([sender, requestKey]),
	};
}

/** None unless the send is one text, because only that can be recognized in the chat. */
export function textKeysOf({ request, requestKey, partitionKey, parts }: IdentifiedSend): string[] {
	const text = parts ? undefined : textIn(request);
	return text ? [textKey(requestKey, digestOf(JSON.stringify([partitionKey, text.message])))] : [];
}
