import type { IDataObject } from 'n8n-workflow';

import type { ApiRequest, Parameters } from '../api/call';
import type { Clock } from '../api/clock';
import { ApiError, errorOfEarlierDoubt } from '../api/errors';
import type { SentMessages, TextMessage } from '../api/sentMessages';
import type { Ledger } from './ledger';
import type { RunOptions } from './runOptions';

/** What a request that must not be made twice needs to be made once. */
export interface SendTools {
	clock: Clock;
	ledger: Ledger;
	sentMessages: SentMessages;
}

/** Such a request, and the item that asked for it. */
export interface Send {
	request: ApiRequest;
	itemIndex: number;
	/** Whom or what it is about. */
	lane: string;
}

/**
 * Makes a request that must not be made twice: not in another try of the same run, and not when nobody confirmed it.
 *
 * @param afterAmbiguousSend whether to look in the chat for a message that was not confirmed
 * @param send makes the request and returns the records of its answer
 * @returns the records, those of an earlier try marked `already_sent`, a message found in the chat marked `verified`
 * @throws ApiError, marked ambiguous when the message may have been sent
 */
export async function sendOnce(
	{ clock, ledger, sentMessages }: SendTools,
	{ request, itemIndex, lane }: Send,
	afterAmbiguousSend: RunOptions['afterAmbiguousSend'],
	send: () => Promise<IDataObject[]>,
): Promise<IDataObject[]> {
	const earlier = ledger.recall(itemIndex, lane);
	if (earlier?.answer) return earlier.answer.map((record) => ({ ...record, already_sent: true }));

	const text = textOf(request);
	const attemptedAt = earlier?.attemptedAt ?? clock.now();
	if (text) sentMessages.attempted(text, attemptedAt);

	const outcome = earlier ? errorOfEarlierDoubt() : await send().catch(doubt);
	if (!(outcome instanceof ApiError)) {
		if (text) sentMessages.confirmed(text, outcome[0]);
		ledger.record(itemIndex, { lane, attemptedAt, answer: outcome });
		return outcome;
	}

	ledger.record(itemIndex, { lane, attemptedAt });
	const found = text && afterAmbiguousSend === 'verify' ? await sentMessages.find(text) : undefined;
	if (!found) throw outcome;
	const answer = [{ ...found, verified: true }];
	ledger.record(itemIndex, { lane, attemptedAt, answer });
	return answer;
}

/** The message that can be recognised in its chat. Of media and templates, the chat does not show what was sent. */
function textOf({ call, parameters }: ApiRequest): TextMessage | undefined {
	return call.sends === 'text' ? (parameters as Parameters & TextMessage) : undefined;
}

async function doubt(error: unknown): Promise<ApiError> {
	return error instanceof ApiError && error.ambiguous ? error : await Promise.reject(error);
}
