import { randomUUID } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

import type { ApiRequest } from '../../api/apiRequest';
import type { Clock } from '../../api/clock';
import { ApiError, unconfirmedError } from '../../api/errors';
import { digestOf, type SendReconciliation, type TextSend } from './sendReconciliation';
import type { RetriedSends } from './retriedSends';
import type { RunOptions } from '../../operation/runOptions';
import type { Send, SendEntry, SendLog } from './sendLog';

/** What a request that must not be made twice needs to be made once. */
export interface SendTools {
	clock: Clock;
	log: SendLog;
	/** Sends of earlier retries of the same execution; absent when this one is no retry. */
	retried?: RetriedSends;
	reconciliation: SendReconciliation;
}

/**
 * Makes a request that must not be made twice: not in another try of the same run, and not when nobody confirmed it.
 *
 * @param afterAmbiguousSend whether to look in the chat for a message that was not confirmed
 * @param make makes the request and returns the records of its answer
 * @returns the records, those of an earlier try marked `already_sent`, a message found in the chat marked `verified`
 * @throws ApiError, marked ambiguous when the message may have been sent
 */
export async function sendOnce(
	{ clock, log, retried, reconciliation }: SendTools,
	send: Send,
	afterAmbiguousSend: RunOptions['afterAmbiguousSend'],
	make: () => Promise<IDataObject[]>,
): Promise<IDataObject[]> {
	const earlier = log.find(send);
	if (earlier?.answer) return earlier.answer.map((record) => ({ ...record, already_sent: true }));

	const entry = earlier ?? newEntry(send, clock.now());
	// Before anything is waited for, so that the same tool call at the same moment finds it.
	log.record(send, entry);
	const forget = (error: unknown): never => {
		log.forget(send);
		throw error;
	};
	const begun = earlier ? 'new' : await retried?.begin(send).catch(forget);
	if (begun === 'unconfirmed') return forget(unconfirmedError());
	if (begun === 'sent') {
		log.forget(send);
		return [{ already_sent: true }];
	}

	const text = textSendOf(send, entry);
	if (text) reconciliation.attempted(text);

	const succeed = (answer: IDataObject[]): IDataObject[] => {
		log.record(send, { ...entry, answer });
		retried?.confirm(send);
		return answer;
	};
	const fail = (error: unknown): ApiError => {
		if (error instanceof ApiError && error.ambiguous) return error;
		retried?.withdraw(send);
		if (text) reconciliation.refused(text);
		return forget(error);
	};
	const outcome = earlier ? unconfirmedError() : await make().catch(fail);
	if (!(outcome instanceof ApiError)) {
		if (text) reconciliation.confirmed(text, outcome[0]);
		return succeed(outcome);
	}
	const found = text && afterAmbiguousSend === 'verify' ? await reconciliation.find(text) : undefined;
	if (!found) throw outcome;
	return succeed([{ ...found, verified: true }]);
}

/**
 * Tells the reconciliation of a text that an earlier try of this run has sent, so that its message is not taken for
 * another's.
 */
export function noteEarlierText(
	{ log, reconciliation }: Pick<SendTools, 'log' | 'reconciliation'>,
	send: Send,
): void {
	const entry = log.find(send);
	const text = entry && textSendOf(send, entry);
	if (text) reconciliation.attempted(text);
}

function newEntry({ partitionKey, request }: Send, attemptedAt: number): SendEntry {
	const text = textIn(request);
	return {
		partitionKey,
		id: randomUUID(),
		attemptedAt,
		...(text ? { textDigest: digestOf(text.message) } : {}),
	};
}

/** Whom a text goes to and what it says. Of media and templates, the chat does not show what was sent. */
function textIn({ endpoint, parameters }: ApiRequest): Pick<TextSend, 'to' | 'message'> | undefined {
	return endpoint.sends === 'text' ? (parameters as Pick<TextSend, 'to' | 'message'>) : undefined;
}

/** The message that can be recognised in its chat. */
function textSendOf({ request }: Send, entry: SendEntry): TextSend | undefined {
	const text = textIn(request);
	if (!text) return undefined;
	const { id, attemptedAt, textDigest, answer: [found] = [] } = entry;
	const messageId = found?.verified ? { messageId: String(found.id) } : {};
	return { id, to: text.to, message: text.message, textDigest, attemptedAt, ...messageId };
}
