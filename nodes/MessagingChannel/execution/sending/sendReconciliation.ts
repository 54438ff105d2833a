import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

import { GET_MESSAGES, RESOLVE_CHAT } from '../../api/endpoints';
import { numberInChatId } from '../../api/chatId';
import type { Client } from '../../api/client';
import type { Clock } from '../../api/clock';
import { ApiError } from '../../api/errors';
import type { AccountWindow } from '../../api/rateLimiter';
import { recordsOf } from '../../api/records';

/** A message passes through the service's queue before it shows in its chat. */
const LOOKS_AFTER_MS = [1000, 2000, 4000];

/** The service's queue may hold a message back for long, but not for longer than this. */
const REMEMBERED_MS = 24 * 60 * 60 * 1000;

/** More texts of one day than this take more than about 4 MB for each account. */
const MOST_REMEMBERED = 20_000;

/** A text message that is sent, or that an earlier try has sent. */
export interface TextSend {
	/** The same for every try of one send, and unique among all others. */
	id: string;
	to: string;
	message: string;
	/** The digest of what the first try sent; that of the message unless given. */
	textDigest?: string;
	/** Unix time in milliseconds of the first try. */
	attemptedAt: number;
	/** The message in the chat that an earlier try has found for it. */
	messageId?: string;
}

/** What is known of a text on its way. Until a message in the chat stands for it, any of those like it may be its own. */
interface KnownSend {
	recipient: string;
	/** Short, so that many of them take little memory. */
	textDigest: string;
	attemptedAt: number;
	/** How far the service's clock was ahead then, in milliseconds. */
	clockOffsetMs?: number;
	/** The message in the chat that stands for it. */
	messageId?: string;
}

/** The texts that this process has put on their way for one account, by their ids, oldest first. */
export type KnownSends = Map<string, KnownSend>;

const knownSends = new WeakMap<AccountWindow, KnownSends>();

/** The texts of an account, shared by all executions of this process. */
export function knownSendsOf(account: AccountWindow): KnownSends {
	const known = knownSends.get(account) ?? new Map<string, KnownSend>();
	knownSends.set(account, known);
	return known;
}

/** Finds out in the chat whether an unconfirmed text message was sent (API spec, "Errors", `send_timeout`). */
export interface SendReconciliation {
	/** Notes a text before it is sent, or one that an earlier try has sent. */
	attempted(send: TextSend): void;
	/** Notes that the service confirmed it, with this record in its answer. */
	confirmed(send: TextSend, answer?: IDataObject): void;
	/** Notes that it certainly was not sent. */
	refused(send: TextSend): void;
	/**
	 * Looks for the message of an unconfirmed text, a few times over some seconds.
	 *
	 * @returns the message, or undefined when none is certainly this send's and no other's
	 */
	find(send: TextSend): Promise<IDataObject | undefined>;
}

/**
 * @param known the account's texts, shared by all executions of this process: identical texts cannot be told apart, only
 *   counted
 * @param clockOffsetMs how far the service's clock is ahead of ours, in milliseconds; undefined before an answer told
 */
export function createSendReconciliation(
	client: Client,
	clock: Clock,
	known: KnownSends = new Map(),
	clockOffsetMs: () => number | undefined = () => undefined,
): SendReconciliation {
	const remember = ({ id, to, message, textDigest, attemptedAt, messageId }: TextSend): KnownSend => {
		const earlier = known.get(id);
		if (earlier) return earlier;
		const send = {
			recipient: numberInChatId(to),
			textDigest: textDigest ?? digestOf(message),
			attemptedAt,
			clockOffsetMs: clockOffsetMs(),
			messageId,
		};
		known.set(id, send);
		return send;
	};

	const forgetOld = (): void => {
		const oldest = clock.now() - REMEMBERED_MS;
		for (const [id, { attemptedAt }] of known) {
			if (attemptedAt >= oldest && known.size < MOST_REMEMBERED) return;
			known.delete(id);
		}
	};

	/**
	 * The second of the attempt by the service's clock. Of two answers that tell it differently, the later counts: an older
	 * message must not pass for this one.
	 */
	const secondOf = ({ attemptedAt, clockOffsetMs: then }: KnownSend): number => {
		const now = clockOffsetMs() ?? 0;
		return Math.floor((attemptedAt + Math.max(then ?? now, now)) / 1000);
	};

	const chatOf = async (to: string): Promise<unknown> => {
		if (to.includes('@')) return to;
		const [chat] = recordsOf(await client.call({ endpoint: RESOLVE_CHAT, parameters: { phone: to } }));
		return chat?.id;
	};

	const look = async (send: TextSend): Promise<IDataObject | undefined> => {
		const chatId = await chatOf(send.to);
		const parameters = { chatId, limit: 200, includeRaw: false };
		const messages = recordsOf(await client.call({ endpoint: GET_MESSAGES, parameters }));
		const own = remember(send);
		own.recipient = numberInChatId(String(chatId));
		// The service may have another number for the one that was entered, which others may have been sent to as well.
		const names = [own.recipient, numberInChatId(send.to)];
		const alike = [...known.values()].filter(
			({ recipient, textDigest }) =>
				textDigest === own.textDigest && names.some((name) => isSameRecipient(recipient, name)),
		);
		const others = alike.filter((other) => other !== own);
		const claimed = new Set(others.map(({ messageId }) => messageId));
		const unclaimed = others.filter(({ messageId }) => messageId === undefined);
		/** The messages with this text, sent since this second, that stand for no send yet. */
		const sentSince = (second: number): IDataObject[] =>
			messages.filter(
				({ id, body, from_me, timestamp }) =>
					from_me === true &&
					digestOf(String(body)) === own.textDigest &&
					Number(timestamp) >= second &&
					!claimed.has(String(id)),
			);
		const [newest] = sentSince(secondOf(own));
		// Each of the others may have its message among these, or will have it yet.
		const since = Math.min(...[own, ...unclaimed].map(secondOf));
		if (!newest || sentSince(since).length <= unclaimed.length) return undefined;
		own.messageId = String(newest.id);
		return newest;
	};

	return {
		attempted(send) {
			forgetOld();
			remember(send);
		},

		confirmed(send, answer) {
			if (answer?.to !== undefined) remember(send).recipient = numberInChatId(String(answer.to));
		},

		refused({ id }) {
			known.delete(id);
		},

		async find(send) {
			for (const pause of LOOKS_AFTER_MS) {
				await clock.sleep(pause);
				// Whatever hinders the look, the send stays what it is: unconfirmed.
				const found = await look(send).catch(nothing);
				if (found) return found;
			}
			return undefined;
		},
	};
}

/** A short digest of a text. */
export function digestOf(text: string): string {
	return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}

/** Only the service knows which country a number with a leading 0 belongs to, so any country may be meant. */
function isSameRecipient(one: string, other: string): boolean {
	const [national, full] = one.startsWith('0') ? [one, other] : [other, one];
	return one === other || (national.startsWith('0') && full.endsWith(national.slice(1)));
}

async function nothing(error: unknown): Promise<undefined> {
	return error instanceof ApiError ? undefined : await Promise.reject(error);
}
