import { hash } from 'crypto';

import type { ActionRun } from '../../../n8n/actionRun';
import type { Fact } from '../../../n8n/journal/contract';
import { textIn, type IdentifiedSend, type Send } from '../send';
import { sendKeysOf } from '../sendLog';

/** A digest that nothing else shares: 43 characters, 256 bits. */
const digestOf = (identity: readonly unknown[]) => hash('sha256', JSON.stringify(identity), 'base64url');

/** The digest of a whole text that was not sent in parts. */
const WHOLE = 'whole';

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
	const requestKey = digestOf([accountDigest, requestId]);
	// Another node can use the same IDs for other messages.
	return { requestId, requestKey, id: JSON.stringify([sender, requestKey]) };
}

/** The fact of a request ID. Its tag tells whether the chat can show what became of it. */
export function factOfId(send: IdentifiedSend): Fact {
	const { request, requestKey, partitionKey, parts } = send;
	const text = parts ? undefined : textIn(request);
	return text ? { id: requestKey, tag: digestOf([partitionKey, text.message]) } : { id: requestKey };
}

/**
 * The fact of a send of a retried execution: the same in all its retries, different for all other sends. The first part of a text has
 * the place of the whole text, so its tag tells them apart.
 */
export function factOfPlace(send: Send, run: ActionRun, retryOf: string): Fact {
	const { request, part, partitionKey } = send;
	const { runKey, keyOf } = sendKeysOf(run);
	const id = digestOf([retryOf, runKey, keyOf(send), partitionKey]);
	if (part?.index === 0) return { id, tag: digestOf(part.texts), keepsTag: true };
	return textIn(request) && !part ? { id, tag: WHOLE, keepsTag: true } : { id };
}
