import { randomUUID } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

import type { ApiRequest } from '../../api/apiRequest';
import type { Clock } from '../../api/clock';
import { ApiError, unconfirmedError } from '../../api/errors';
import { digestOf, type SendReconciliation, type TextSend } from './sendReconciliation';
import type { RetriedSends } from './retriedSends';
import type { RunOptions } from '../../operation/runOptions';
import type { Send, SendEntry, SendLog } from './sendLog';

/** What `sendOnce` needs. */
export interface SendDependencies {
	clock: Clock;
	log: SendLog;
	/** Sends of earlier retries of the execution; undefined if this execution is not a retry. */
	retried?: RetriedSends;
	reconciliation: SendReconciliation;
	/** Called with the recipient of a text that the service has queued, by its chat ID if the service tells it. */
	queued: (to: string, text: string) => void;
}

/**
 * Makes a request at most once, even if n8n runs the node again (API spec, "Errors", retry rules). A send that may have
 * been made is never repeated.
 *
 * @param afterAmbiguousSend whether to search the chat for an unconfirmed text
 * @param makeRequest makes the request and returns the records of its response
 * @returns the records. Those of an earlier try have `already_sent: true`, a message found in the chat `verified: true`
 * @throws ApiError if the request failed; `ambiguous` is true if the message may have been sent
 */
export async function sendOnce(
	{ clock, log, retried, reconciliation, queued }: SendDependencies,
	send: Send,
	afterAmbiguousSend: RunOptions['afterAmbiguousSend'],
	makeRequest: () => Promise<IDataObject[]>,
): Promise<IDataObject[]> {
	const previous = log.find(send);
	if (previous?.answer) return previous.answer.map((record) => ({ ...record, already_sent: true }));

	const entry = previous ?? newEntry(send, clock.now());
	// The entry must exist before the first await, so that a parallel tool call finds it.
	log.record(send, entry);
	const forget = (error: unknown): never => {
		log.forget(send);
		throw error;
	};
	const status = previous ? undefined : await retried?.begin(send).catch(forget);
	if (status === 'unconfirmed') return forget(unconfirmedError());
	if (status === 'sent') {
		log.forget(send);
		return [{ already_sent: true }];
	}

	const text = textSendOf(send, entry);
	if (text) reconciliation.attempted(text);

	const succeed = (records: IDataObject[]): IDataObject[] => {
		log.record(send, { ...entry, answer: records });
		retried?.confirm(send);
		return records;
	};
	const fail = (error: unknown): ApiError => {
		if (error instanceof ApiError && error.ambiguous) return error;
		retried?.withdraw(send);
		if (text) reconciliation.refused(text);
		return forget(error);
	};
	const result = previous ? unconfirmedError() : await makeRequest().catch(fail);
	if (!(result instanceof ApiError)) {
		if (text) {
			reconciliation.confirmed(text, result[0]);
			queued(String(result[0]?.to ?? text.to), text.message);
		}
		return succeed(result);
	}
	const found = text && afterAmbiguousSend === 'verify' ? await reconciliation.find(text) : undefined;
	if (!found) throw result;
	return succeed([{ ...found, verified: true }]);
}

/**
 * Registers a text that an earlier try of this run sent, so that the reconciliation does not match its message with
 * another send.
 */
export function registerEarlierText(
	{ log, reconciliation }: Pick<SendDependencies, 'log' | 'reconciliation'>,
	send: Send,
): void {
	const entry = log.find(send);
	const text = entry && textSendOf(send, entry);
	if (text) reconciliation.attempted(text);
}

function newEntry({ partitionKey, request, part }: Send, attemptedAt: number): SendEntry {
	const text = textIn(request);
	return {
		lane: partitionKey,
		id: randomUUID(),
		attemptedAt,
		...(text ? { textDigest: digestOf(text.message) } : {}),
		...(part?.index === 0 ? { parts: part.texts } : {}),
	};
}

/** The recipient and text of a text message. Media and templates cannot be recognised in the chat. */
function textIn({ endpoint, parameters }: ApiRequest): Pick<TextSend, 'to' | 'message'> | undefined {
	return endpoint.sends === 'text' ? (parameters as Pick<TextSend, 'to' | 'message'>) : undefined;
}

/** The send as the reconciliation needs it; undefined if it is not a text. */
function textSendOf({ request }: Send, entry: SendEntry): TextSend | undefined {
	const text = textIn(request);
	if (!text) return undefined;
	const { id, attemptedAt, textDigest, answer: [found] = [] } = entry;
	const messageId = found?.verified ? { messageId: String(found.id) } : {};
	return { id, to: text.to, message: text.message, textDigest, attemptedAt, ...messageId };
}
