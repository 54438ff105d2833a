import type { IDataObject } from 'n8n-workflow';

import type { ApiRequest, Parameters } from '../../api/apiRequest';
import type { AccountState } from '../../api/rateLimiter';
import { flagOf, idOf } from '../../api/values';
import { withNumber } from '../../recipients/hiddenNumbers';
import { compareRecipients } from '../../recipients/recipient';

/** A text, or a file with its caption. */
export interface TextOrFile {
	text: string;
	/** What kind of file it is; undefined for a text. */
	file?: string;
}

/** One that the service has queued, and that its chat may not show yet (API spec, "What the service does" 2 and 4). */
export interface QueuedText extends TextOrFile {
	/** The phone number or chat ID. */
	recipient: string;
	/** By `clock.elapsed`. */
	queuedAt: number;
}

/**
 * Whether the service has put a message into its queue, by its answer (API spec, "Queued send job"). One that was not queued is
 * sent, as one is that was sent synchronously.
 */
export function isQueued({ queued }: IDataObject = {}, { sync }: Parameters = {}): boolean {
	const told = flagOf(queued);
	return typeof told === 'boolean' ? told : sync !== true;
}

/** What a chat will show of a request; undefined if that is not known, as of a template. */
function textOrFileIn({ endpoint, parameters = {} }: ApiRequest): TextOrFile | undefined {
	if (endpoint.sends === 'text') return { text: String(parameters.message) };
	const [, kind] = /^\/messages\/send-(image|document|audio|voice|sticker|media)$/.exec(endpoint.path) ?? [];
	if (kind === undefined) return undefined;
	return { text: String(parameters.caption ?? ''), file: kind === 'media' ? 'file' : kind };
}

/** Afterwards the chat shows the text, or the service did not send it. */
const QUEUED_TEXT_TTL_MS = 5 * 60 * 1000;

/** Only chats with an agent need them, so the texts of a campaign may push each other out. */
const MAX_QUEUED_TEXTS = 500;

/** By account, as all executions and agents send from it. */
const queuedTexts = new WeakMap<AccountState, QueuedText[]>();

/**
 * Records what the service has confirmed, if it is in its queue and its chat will show it.
 *
 * @param answer the record in the response
 * @param now that of `clock.elapsed`
 */
export function noteConfirmed(
	account: AccountState,
	request: ApiRequest,
	answer: IDataObject | undefined,
	now: number,
): void {
	const { parameters } = request;
	const shown = textOrFileIn(request);
	if (!shown || !isQueued(answer, parameters)) return;
	// Its chat ID, if the service tells it.
	const recipient = idOf(answer?.to) ?? String(parameters?.to);
	const texts = queuedTexts.get(account) ?? [];
	texts.push({ ...shown, recipient, queuedAt: now });
	// Not with each text, because all others are copied.
	queuedTexts.set(account, texts.length < 2 * MAX_QUEUED_TEXTS ? texts : texts.slice(-MAX_QUEUED_TEXTS));
}

/**
 * The texts and files that this process sent to a chat in the last five minutes, oldest first.
 *
 * @param now that of `clock.elapsed`
 */
export function queuedTextsTo(account: AccountState, chatId: string, now: number): QueuedText[] {
	const texts = queuedTexts.get(account)?.slice(-MAX_QUEUED_TEXTS) ?? [];
	const chat = withNumber(account, chatId);
	return texts.filter(
		({ recipient, queuedAt }) =>
			now - queuedAt < QUEUED_TEXT_TTL_MS &&
			compareRecipients(withNumber(account, recipient), chat) === 'same',
	);
}
