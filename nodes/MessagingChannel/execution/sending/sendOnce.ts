import { randomUUID } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

import type { Clock } from '../../api/clock';
import { ApiError, mayHaveBeenMade, stoppedError, stopReasonOr, unconfirmedError } from '../../api/errors';
import { idOf } from '../../api/reading';
import { earlierRequestError, sentOtherwiseError } from './sendErrors';
import { isQueued, textOrFileIn, type TextOrFile } from './queuedTexts';
import { sameTextDigest } from './sameText';
import type { SendReconciliation, TextSend } from './sendReconciliation';
import type { RunOptions } from '../../operation/runOptions';
import { textIn, toAnsweredNumber, type Send, type SendEntry, type SendLog } from './sendLog';
import { inBoth, type SendClaims, type SendStatus } from './sendClaims';

/** What `sendOnce` needs. */
export interface SendDependencies {
	clock: Clock;
	log: SendLog;
	/** The claims of this execution's retries; undefined if it is not a retry. */
	retried?: SendClaims;
	/** The claims of request IDs; undefined if no item has one. */
	requestIds?: SendClaims;
	reconciliation: SendReconciliation;
	/** Called with the recipient of a text or file that the service has queued, by its chat ID if the service tells it. */
	noteQueued: (to: string, queued: TextOrFile) => void;
	/** Aborted when n8n ends the execution. Then no send is begun. */
	cancelled?: AbortSignal;
}

/** The sends in flight, until they end. An agent can call its tool again before the first call has ended. */
const sendsInFlight = new WeakMap<SendEntry, Promise<unknown>>();

/** The same send in flight, by an earlier call. It ends when the execution is stopped. */
export function inFlightOf(log: SendLog, send: Send): Promise<unknown> | undefined {
	const entry = log.find(send);
	return entry && sendsInFlight.get(entry);
}

/**
 * Makes a request at most once, even if n8n runs the node again (API spec, "Errors", retry rules). A send that may have
 * been made is never repeated.
 *
 * @param afterAmbiguousSend whether to search the chat for an unconfirmed text
 * @param makeRequest makes the request and returns the records of its response
 * @returns the records. Those of an earlier try have `already_sent: true`, a message found in the chat `verified: true`
 * @throws what `makeRequest` throws; ApiError if the request is not made because n8n's database cannot be used, or an earlier
 *   attempt may have made it. `ambiguous` is true if the message may have been sent
 */
export async function sendOnce(
	dependencies: SendDependencies,
	send: Send,
	afterAmbiguousSend: RunOptions['afterAmbiguousSend'],
	makeRequest: () => Promise<IDataObject[]>,
): Promise<IDataObject[]> {
	const { log } = dependencies;
	for (let earlier = inFlightOf(log, send); earlier; earlier = inFlightOf(log, send)) await earlier;
	const records = sendNow(dependencies, send, afterAmbiguousSend, makeRequest);
	// The log has it now, perhaps as a copy.
	const entry = log.find(send) as SendEntry;
	sendsInFlight.set(
		entry,
		records.catch(() => undefined),
	);
	return await records.finally(() => sendsInFlight.delete(entry));
}

/** `sendOnce` while no other call has the send in flight. */
async function sendNow(
	dependencies: SendDependencies,
	send: Send,
	afterAmbiguousSend: RunOptions['afterAmbiguousSend'],
	makeRequest: () => Promise<IDataObject[]>,
): Promise<IDataObject[]> {
	const { clock, log, retried, requestIds, reconciliation, noteQueued, cancelled } = dependencies;
	const previous = log.find(send);
	if (previous?.answer) return await answerAgain(dependencies, send, previous.answer);

	const entry = previous ?? newEntry(send, clock.now());
	// The entry must exist before the first await, so that a parallel tool call finds it.
	log.record(send, entry);
	const identified = hasRequestId(send) ? requestIds : undefined;
	const claims = identified && retried ? inBoth(identified, retried) : (identified ?? retried);
	const { succeed, forget, releaseAndForget } = endsOf(dependencies, send, entry, claims);
	const begin = async (): Promise<SendStatus | undefined> => {
		// A claim that n8n does not live to withdraw would leave the send uncertain.
		if (cancelled?.aborted) throw stoppedError();
		return await claims?.claim(send);
	};
	const status = previous ? undefined : await begin().catch(forget);
	if (status?.state === 'sent') {
		log.forget(send);
		return [sentBefore(send)];
	}
	const isSearched = afterAmbiguousSend === 'verify';
	const earlier =
		status && (await recoverEarlier(dependencies, send, entry, status, isSearched).catch(releaseAndForget));
	if (earlier) return succeed([{ ...earlier, verified: true, ...sentBefore(send) }]);

	const text = textSendOf(send, entry);
	if (text) reconciliation.attempted(text);
	const fail = (error: unknown): ApiError => {
		if (error instanceof ApiError && error.ambiguous) return error;
		// Without a request ID, nothing would be known of it later.
		if (hasRequestId(send) && error instanceof ApiError && mayHaveBeenMade(error)) {
			return releaseAndForget(error.with({ ambiguous: true }));
		}
		claims?.withdraw(send);
		if (text) reconciliation.refused(text);
		return forget(error);
	};
	const result = previous
		? unconfirmedError()
		: await makeRequest().catch((error: unknown) => fail(stopReasonOr(error)));
	if (!(result instanceof ApiError)) {
		const [answer] = result;
		const { request } = send;
		if (text) reconciliation.confirmed(text, answer);
		const shown = isQueued(answer, request.parameters) ? textOrFileIn(request) : undefined;
		if (shown) noteQueued(idOf(answer?.to) ?? String(request.parameters?.to), shown);
		return succeed(result);
	}
	const search = isSearched ? text : undefined;
	// The search ends when the execution is stopped, and the message stays uncertain.
	const found = search && (await reconciliation.find(search).catch(() => undefined));
	if (found) return succeed([{ ...found, verified: true }]);
	// An item with the same request ID would wait forever.
	if (!previous) claims?.release(send);
	throw result;
}

/** The answer of an earlier try of this run. Its request ID is known as used then, if n8n's database can be used. */
async function answerAgain(
	{ requestIds }: SendDependencies,
	send: Send,
	answer: readonly IDataObject[],
): Promise<IDataObject[]> {
	const claims = hasRequestId(send) ? requestIds : undefined;
	await claims?.claim(send).then(
		() => claims.confirm(send),
		() => undefined,
	);
	return answer.map((record) => (record.skipped ? record : { ...record, ...sentBefore(send) }));
}

/** What the output says of a send that was made before. */
function sentBefore({ requestId }: Send): IDataObject {
	return { already_sent: true, ...(requestId === undefined ? {} : { request_id: requestId }) };
}

/** Whether n8n's database knows the send by its request ID. The parts of a text have one ID together. */
function hasRequestId(send: Send): send is Send & { requestId: string } {
	return send.requestId !== undefined && !send.part;
}

/** What a send leaves in the log and in n8n's database when it ends. */
function endsOf(
	{ log, retried }: SendDependencies,
	send: Send,
	entry: SendEntry,
	claims?: SendClaims,
): {
	succeed: (answer: IDataObject[]) => IDataObject[];
	forget: (error: unknown) => never;
	releaseAndForget: (error: unknown) => never;
} {
	const forget = (error: unknown): never => {
		log.forget(send);
		throw error;
	};
	return {
		forget,
		releaseAndForget(error) {
			// Another item with the same request ID waits for its end.
			claims?.release(send);
			return forget(error);
		},
		succeed(answer) {
			log.record(send, { ...entry, answer });
			claims?.confirm(send);
			// A later retry can name the recipient with the country code.
			const answered = toAnsweredNumber(send, answer);
			if (answered) retried?.confirm(answered);
			return answer;
		},
	};
}

/**
 * Searches for the message of a send that an earlier execution began.
 *
 * @param isSearched whether to search the chat
 * @returns the message; undefined if the send was certainly not made
 * @throws ApiError if neither is certain
 */
async function recoverEarlier(
	{ reconciliation }: SendDependencies,
	send: Send,
	entry: SendEntry,
	status: SendStatus,
	isSearched: boolean,
): Promise<IDataObject | undefined> {
	if (status.state === 'sentOtherwise') throw sentOtherwiseError();
	if (status.state !== 'unconfirmed') return undefined;
	const { earlier } = status;
	if (isSearched && earlier?.hasSameText) {
		const text = textSendOf(send, { ...entry, attemptedAt: earlier.sentAfter ?? entry.attemptedAt });
		const found = text && (await reconciliation.recover(text, earlier.sentAfter).catch(() => undefined));
		if (found === 'missing' && earlier.isDecidedByChat) return undefined;
		if (found && found !== 'missing') return found;
	}
	throw hasRequestId(send) ? earlierRequestError(send.requestId) : unconfirmedError();
}

/** Registers a text with a request ID that an earlier execution may have sent, so that no other item takes its message. */
export function registerPossibleText(
	{ clock, reconciliation }: Pick<SendDependencies, 'clock' | 'reconciliation'>,
	send: Send,
): void {
	const text = textSendOf(send, newEntry(send, clock.now()));
	if (text) reconciliation.attempted(text);
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

function newEntry({ partitionKey, request, id, part }: Send, attemptedAt: number): SendEntry {
	const text = textIn(request);
	return {
		lane: partitionKey,
		id: (part ? undefined : id) ?? randomUUID(),
		attemptedAt,
		...(text ? { textDigest: sameTextDigest(text.message) } : {}),
		...(part?.index === 0 ? { parts: part.texts } : {}),
	};
}

/** The send as the reconciliation needs it; undefined if it is not a text. */
function textSendOf({ request }: Send, entry: SendEntry): TextSend | undefined {
	const text = textIn(request);
	if (!text) return undefined;
	const { id, attemptedAt, textDigest, answer: [found] = [] } = entry;
	const messageId = found?.verified ? { messageId: idOf(found.id) } : {};
	return {
		id,
		to: text.to,
		message: text.message,
		textDigest,
		attemptedAt,
		limits: request.limits,
		...messageId,
	};
}
