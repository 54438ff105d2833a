import { hash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

import type { ApiRequest, Parameters, RequestLimits } from '../../api/apiRequest';
import type { AccountState } from '../../api/rateLimiter';
import { flagOf, idOf } from '../../api/values';
import { withNumber } from '../../recipients/hiddenNumbers';
import { compareRecipients } from '../../recipients/recipient';

/** The service's queue can delay a message, but not for longer than this. */
const KNOWN_TEXTS_TTL_MS = 24 * 60 * 60 * 1000;

/** Limits the memory to about 4 MB per account. */
const MAX_KNOWN_TEXTS = 20_000;

/** Afterwards the chat shows the text, or the service did not send it. */
const QUEUED_TEXT_TTL_MS = 5 * 60 * 1000;

/** Only chats with an agent need them, so the texts of a campaign may push each other out. */
const MAX_QUEUED_TEXTS = 500;

/** A text message of this try or of an earlier one. */
export interface TextSend {
	/** A unique ID that all tries of the send share. */
	id: string;
	to: string;
	message: string;
	/** The `sameTextDigest` of the text of the first try; defaults to the digest of `message`. */
	textDigest?: string;
	/** Unix time of the latest attempt, in milliseconds; see `SendEntry`. */
	attemptedAt: number;
	/** How long a search may take. */
	limits?: RequestLimits;
}

/** A text that was sent or may have been sent. Without a `messageId`, any identical message in the chat may be its own. */
export interface KnownText {
	recipient: string;
	/** A digest takes less memory than the text. */
	textDigest: string;
	attemptedAt: number;
	/** How far the service's clock was ahead of ours at the attempt, in milliseconds. */
	clockOffsetMs?: number;
	/** The ID of the message that was matched with this send. */
	messageId?: string;
}

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

/** What this process remembers of what it has sent from an account. */
export interface SentTexts {
	/** By send ID, oldest first. */
	known: Map<string, KnownText>;
	/** Registers a text with each attempt to send it, and before it is looked for. */
	attempted(text: TextSend): KnownText;
	/**
	 * Records that the service has confirmed a request.
	 *
	 * @param answer the record in the response
	 * @param now that of `clock.elapsed`
	 * @param text set if it is a text
	 */
	confirmed(request: ApiRequest, answer: IDataObject | undefined, now: number, text?: TextSend): void;
	/** Records that a text was certainly not sent. */
	refused(text: TextSend): void;
	/** The texts and files that were sent to a chat in the last five minutes, oldest first. */
	queuedTo(chatId: string, now: number): QueuedText[];
}

/** By account, as all executions and agents send from it, and read its chats. */
const accounts = new WeakMap<AccountState, SentTexts>();

/** The texts of an account. All executions of this process share them. */
export function sentTextsOf(account: AccountState): SentTexts {
	const texts = accounts.get(account) ?? newSentTexts(account);
	accounts.set(account, texts);
	return texts;
}

/** Creates the memory of an account, which is empty. */
export function newSentTexts(account: Pick<AccountState, 'isClockKnown' | 'clockOffsetMs'>): SentTexts {
	const known = new Map<string, KnownText>();
	const queued: QueuedText[] = [];
	return {
		known,

		attempted({ id, to, message, textDigest = sameTextDigest(message), attemptedAt }) {
			for (const [oldest, { attemptedAt: at }] of known) {
				if (at >= attemptedAt - KNOWN_TEXTS_TTL_MS && known.size < MAX_KNOWN_TEXTS) break;
				known.delete(oldest);
			}
			const earlier = known.get(id);
			if (earlier?.attemptedAt === attemptedAt) return earlier;
			const clockOffsetMs = account.isClockKnown ? account.clockOffsetMs : undefined;
			const text = { recipient: to, textDigest, attemptedAt, clockOffsetMs };
			known.delete(id);
			known.set(id, text);
			return text;
		},

		confirmed(request, answer, now, text) {
			const { parameters = {} } = request;
			const shown = textOrFileIn(request);
			const isInQueue = isQueued(answer, parameters);
			// Its chat ID, if the service tells it.
			const recipient = idOf(answer?.to) ?? String(parameters.to);
			const own = text && known.get(text.id);
			if (own) own.recipient = recipient;
			if (shown && isInQueue) queued.push({ ...shown, recipient, queuedAt: now });
			queued.splice(0, queued.length - MAX_QUEUED_TEXTS);
		},

		refused({ id }) {
			known.delete(id);
		},

		queuedTo(chatId, now) {
			const chat = withNumber(account, chatId);
			return queued.filter(
				({ recipient, queuedAt }) =>
					now - queuedAt < QUEUED_TEXT_TTL_MS &&
					compareRecipients(withNumber(account, recipient), chat) === 'same',
			);
		},
	};
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
	const { sends = 'other' } = endpoint;
	if (sends === 'text') return { text: String(parameters.message) };
	return sends === 'other' ? undefined : { text: String(parameters.caption ?? ''), file: sends };
}

/**
 * What a text has in common with its copy in the chat: the service may trim it, and write its white space and its signs
 * otherwise. Texts that differ in nothing else count as the same.
 */
export function sameTextKey(text: string): string {
	return text.normalize('NFKC').replace(/\s/g, '');
}

/** A digest that a text shares with its copy in the chat. */
export function sameTextDigest(text: string): string {
	return hash('sha256', sameTextKey(text)).slice(0, 16);
}
