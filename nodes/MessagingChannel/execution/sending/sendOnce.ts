import { randomUUID } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

import type { ApiRequest } from '../../api/apiRequest';
import type { Clock } from '../../api/clock';
import { ApiError, mayHaveBeenMade, stoppedError, stopReasonOr, unconfirmedError } from '../../api/errors';
import { hasOwnId, settlementOf, textIn, type Send, type SendOutcome, type TextMessage } from './send';
import { earlierRequestError, sentOtherwiseError } from './sendErrors';
import type { EarlierSend, SendJournal } from './sendJournal';
import type { SendEntry, SendLog } from './sendLog';
import type { SendReconciliation } from './sendReconciliation';
import { sameTextDigest, type SentTexts, type TextSend } from './sentTexts';
import type { Addressed, SkippedRecipient } from './skipRecipients';

/** A step between the begin of a send and its request: it checks, waits, or resolves to whom it leaves out. */
export type Step = (request: ApiRequest) => Promise<Addressed | void>;

/** The line that a send passes. What is not switched on is not in it. */
export interface SendLine {
	clock: Clock;
	log: SendLog;
	/** Undefined unless this execution is a retry, or an item has a request ID. */
	journal?: SendJournal;
	sent: SentTexts;
	reconciliation: () => SendReconciliation;
	/** Called with each text that this run has sent, and its record; set if its message is to be looked for. */
	noteSent?: (text: TextSend, record: IDataObject) => void;
	/** Aborted when n8n ends the execution. Then no send is begun. */
	cancelled?: AbortSignal;
	/** Whether to search the chat for a text that nobody has confirmed. */
	isSearched: boolean;
	steps: readonly Step[];
	/** Makes the request, and returns the records of its response. */
	request: (request: ApiRequest) => Promise<IDataObject[]>;
}

/** The sends in flight, until they end. An agent can call its tool again before the first call has ended. */
const sendsInFlight = new WeakMap<SendEntry, Promise<unknown>>();

/** The same send in flight, by an earlier call. It ends when the execution is stopped. */
export function inFlightOf(log: SendLog, send: Send): Promise<unknown> | undefined {
	const entry = log.find(send);
	return entry && sendsInFlight.get(entry);
}

/**
 * Makes a request at most once, even if n8n runs the node again (API spec, "Errors", retry rules): identify, steps, request,
 * search, settle. A send that may have been made is never repeated. Never rejects.
 *
 * @returns its outcome. The records of an earlier try have `already_sent: true`, a message found in the chat `verified: true`
 */
export async function sendOnce(line: SendLine, send: Send): Promise<SendOutcome> {
	const { log, clock } = line;
	while (inFlightOf(log, send)) await inFlightOf(log, send);
	const known = log.find(send);
	const text = textIn(send.request);
	// The log has the entry before the first wait, so that a parallel call of a tool finds it.
	const entry = known ?? log.record(send, newEntry(send, text, clock.now()));
	const attempt = { send, entry, text: text && textSendOf(send, text, entry) };
	const outcome = passLine(line, attempt, known !== undefined);
	sendsInFlight.set(entry, outcome);
	try {
		return await outcome;
	} finally {
		sendsInFlight.delete(entry);
	}
}

/** A send in this try. */
interface Attempt {
	send: Send;
	entry: SendEntry;
	/** Set if it is a text, which can be found in its chat. */
	text: TextSend | undefined;
}

async function passLine(line: SendLine, attempt: Attempt, isKnown: boolean): Promise<SendOutcome> {
	const { send, entry, text } = attempt;
	const found = isKnown
		? logged(send, entry)
		: await begin(line, send, async (earlier) => await decide(line, attempt, earlier));
	if (text && found && isUnconfirmed(found)) line.sent.attempted(text);
	const made = found ?? (await make(line, attempt));
	const isSearched = text && line.isSearched && isUnconfirmed(made);
	const outcome = (isSearched && (await search(line, text, made))) || made;
	await settle(line, attempt, outcome);
	return outcome;
}

/** Whether this execution has begun a send, and does not know whether it was made. */
function isUnconfirmed({ kind, from }: SendOutcome): boolean {
	return kind === 'uncertain' && from !== 'journal';
}

/** What the log tells of a send. */
function logged(send: Send, { answer }: SendEntry): SendOutcome {
	if (!answer) return { kind: 'uncertain', from: 'log', error: unconfirmedError(send.request.endpoint) };
	const records = answer.map((record) => (record.skipped ? record : { ...record, ...sentBefore(send) }));
	return { kind: 'alreadySent', from: 'log', records };
}

/** A send that may have been made before. */
type UncertainSend = Extract<EarlierSend, { state: 'otherwise' | 'open' }>;

/**
 * Begins a send that this execution has not begun before.
 *
 * @param decide the outcome if it may have been made; undefined if it was certainly not made
 * @returns its outcome if it must not be made now
 */
export async function begin(
	{ journal, cancelled }: Pick<SendLine, 'journal' | 'cancelled'>,
	send: Send,
	decide: (earlier: UncertainSend) => Promise<SendOutcome | undefined>,
): Promise<SendOutcome | undefined> {
	const from = 'journal';
	// A begin that n8n does not live to settle would leave the send uncertain.
	if (cancelled?.aborted) return { kind: 'refused', from, error: stoppedError() };
	let earlier: EarlierSend | undefined;
	try {
		earlier = await journal?.begin(send);
	} catch (error) {
		return { kind: 'refused', from, error };
	}
	if (!earlier || earlier.state === 'absent') return undefined;
	if (earlier.state === 'done') return { kind: 'alreadySent', from, records: [sentBefore(send)] };
	return await decide(earlier);
}

/** The outcome of a send that an earlier execution may have made; undefined if it was certainly not made. */
async function decide(
	{ reconciliation, isSearched }: SendLine,
	{ send, text }: Attempt,
	found: UncertainSend,
): Promise<SendOutcome | undefined> {
	const from = 'journal';
	if (found.state === 'otherwise') return { kind: 'uncertain', from, error: sentOtherwiseError() };
	const { earlier } = found;
	if (isSearched && text && earlier?.hasSameText) {
		const { sentAfter = text.attemptedAt } = earlier;
		const message = await reconciliation()
			.recover({ ...text, attemptedAt: sentAfter }, earlier.sentAfter)
			.catch(() => undefined);
		if (message === 'missing' && earlier.isDecidedByChat) return undefined;
		if (message && message !== 'missing') {
			const records = [{ ...message, verified: true, ...sentBefore(send) }];
			return { kind: 'verified', from, records };
		}
	}
	const error = hasOwnId(send)
		? earlierRequestError(send.requestId, send.request.endpoint)
		: unconfirmedError(send.request.endpoint);
	return { kind: 'uncertain', from, error };
}

/** Passes the steps, and makes the request. */
async function make(line: SendLine, { send, entry, text }: Attempt): Promise<SendOutcome> {
	const { steps, request, sent } = line;
	const from = 'request';
	const skipped: SkippedRecipient[] = [];
	let remaining = send.request;
	try {
		for (const step of steps) {
			const addressed = await step(remaining);
			if (!addressed) continue;
			skipped.push(...addressed.skipped);
			if (!addressed.request) return { kind: 'skipped', from, recipients: skipped };
			remaining = addressed.request;
		}
	} catch (thrown) {
		const error = stopReasonOr(thrown);
		return {
			kind: 'refused',
			from,
			error: error instanceof ApiError ? error.with({ neverSent: true }) : error,
		};
	}
	// A message from before its latest attempt is not its own, and no other send may take its message.
	const beforeAttempt = (attemptedAt: number): void => {
		remaining.beforeAttempt?.(attemptedAt);
		Object.assign(entry, { attemptedAt });
		if (text) sent.attempted(Object.assign(text, { attemptedAt }));
	};
	try {
		return { kind: 'sent', from, records: [...(await request({ ...remaining, beforeAttempt })), ...skipped] };
	} catch (thrown) {
		const error = stopReasonOr(thrown);
		// Without a request ID, nothing would be known later of what sends no message.
		const isUncertain =
			error instanceof ApiError && (error.ambiguous || (hasOwnId(send) && mayHaveBeenMade(error)));
		return isUncertain
			? { kind: 'uncertain', from, error: error.with({ ambiguous: true }) }
			: { kind: 'refused', from, error };
	}
}

/** Searches the chat for a text that nobody has confirmed. The search ends when the execution is stopped. */
async function search(
	{ reconciliation }: SendLine,
	text: TextSend,
	{ from }: SendOutcome,
): Promise<SendOutcome | undefined> {
	const message = await reconciliation()
		.find(text)
		.catch(() => undefined);
	return message && { kind: 'verified', from, records: [{ ...message, verified: true }] };
}

/** Writes the outcome of a send to the log, to the journal, and to the texts that this process knows. */
async function settle(
	{ log, clock, journal, sent, noteSent }: SendLine,
	{ send, entry, text }: Attempt,
	outcome: SendOutcome,
): Promise<void> {
	const kept = settlementOf(outcome, send.request.endpoint.sends !== undefined);
	const records = 'records' in outcome ? outcome.records : [];
	const [record] = records;
	if (kept.log === 'answer') log.record(send, { ...entry, answer: records });
	if (kept.log === 'forget') log.forget(send);

	if (outcome.from === 'log') await noteMade(journal, send, kept.journal === 'made');
	else if (kept.journal) journal?.settle(send, kept.journal);

	if (outcome.kind === 'sent') sent.confirmed(send.request, record, clock.elapsed(), text);
	if (text && kept.journal === 'notMade') sent.refused(text);
	if (text && record && ['sent', 'verified'].includes(outcome.kind)) noteSent?.(text, record);
}

/** Lets the journal know a send that only the log knows to be made, if n8n's database can be used. */
export async function noteMade(journal: SendJournal | undefined, send: Send, isMade: boolean): Promise<void> {
	if (!journal || !isMade || !hasOwnId(send)) return;
	const earlier = await journal.begin(send).catch(() => undefined);
	if (earlier && earlier.state !== 'done') journal.settle(send, 'made');
}

/** What the output says of a send that was made before. */
function sentBefore({ requestId }: Send): IDataObject {
	return { already_sent: true, ...(requestId === undefined ? {} : { request_id: requestId }) };
}

function newEntry(
	{ partitionKey, id, part }: Send,
	text: TextMessage | undefined,
	attemptedAt: number,
): SendEntry {
	return {
		partitionKey,
		id: (part ? undefined : id) ?? randomUUID(),
		attemptedAt,
		...(text ? { textDigest: sameTextDigest(text.message) } : {}),
		...(part?.index === 0 ? { parts: part.texts } : {}),
	};
}

/** The text as the reconciliation needs it. */
function textSendOf({ request: { limits } }: Send, text: TextMessage, entry: SendEntry): TextSend {
	const { id, attemptedAt, textDigest } = entry;
	return { ...text, id, textDigest, attemptedAt, limits };
}
