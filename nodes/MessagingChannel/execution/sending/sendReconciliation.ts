import partition from 'lodash/partition';
import uniqBy from 'lodash/uniqBy';
import type { IDataObject } from 'n8n-workflow';

import type { Client } from '../../api/client';
import type { Clock } from '../../api/clock';
import { ApiError } from '../../api/errors';
import type { Message } from '../../api/message';
import type { AccountState } from '../../api/rateLimiter';
import { compareRecipients } from '../../recipients/recipient';
import { chatIdOf, identifiedMessages, messagesBackTo, SEARCH_DELAYS_MS } from './chatMessages';
import { sameTextDigest, type KnownText, type SentTexts, type TextSend } from './sentTexts';

/** The clocks of two machines differ by less. */
const CLOCK_MARGIN_MS = 60 * 60 * 1000;

/** Searches the chat for a text that was not confirmed (API spec, "Errors", `send_timeout`). */
export interface SendReconciliation {
	/**
	 * Searches for the message of an unconfirmed text, several times within seven seconds.
	 *
	 * @returns the message, or undefined if no message belongs to this send beyond doubt
	 */
	find(send: TextSend): Promise<IDataObject | undefined>;
	/**
	 * Searches once for the message of a text that an earlier execution may have sent.
	 *
	 * @param sentAfter a time before which the latest of them did not send it, in Unix milliseconds; undefined if that is not known
	 * @returns the message, if one belongs to this send beyond doubt; `missing` if the chat never had this text from us, because one before
	 *   the latest can have sent it
	 */
	recover(send: TextSend, sentAfter: number | undefined): Promise<IDataObject | 'missing' | undefined>;
	/**
	 * Searches a chat once for the messages of confirmed texts.
	 *
	 * @param to the recipient of them all
	 * @returns for each text, the ID of the only message that can be its own; undefined if there is none, or more than one
	 * @throws ApiError
	 */
	identify(to: string, sends: readonly TextSend[]): Promise<unknown[]>;
}

/**
 * Creates the reconciliation of one account. Identical messages cannot be distinguished, only counted.
 *
 * @param sent what this process has sent from the account
 * @param account how far the service's clock is ahead of ours
 */
export function createSendReconciliation(
	client: Client,
	clock: Clock,
	sent: SentTexts,
	account: Pick<AccountState, 'clockOffsetMs'>,
): SendReconciliation {
	/**
	 * The time of the attempt by the service's clock, in Unix seconds. The larger of the two offsets counts, so that no
	 * older message is accepted.
	 */
	const serviceSecondOf = ({ attemptedAt, clockOffsetMs: offsetAtAttempt }: KnownText): number => {
		const { clockOffsetMs } = account;
		return Math.floor((attemptedAt + Math.max(offsetAtAttempt ?? clockOffsetMs, clockOffsetMs)) / 1000);
	};

	/**
	 * The message of a send in its chat, if one belongs to it beyond doubt. Identical texts cannot be told apart, only counted: each of
	 * the other sends may own one of the messages, so there must be more messages than other sends.
	 *
	 * @param maxCandidates of more messages that can be its own, none counts
	 */
	const match = (
		messages: readonly Message[],
		chatId: string,
		send: TextSend,
		maxCandidates = Infinity,
	): IDataObject | undefined => {
		const own = sent.known.get(send.id) ?? sent.attempted(send);
		own.recipient = chatId;
		// The service may resolve the entered number to another one, and other sends may use either of the two.
		const isForSame = ({ recipient }: KnownText) =>
			[chatId, send.to].some((each) => compareRecipients(recipient, each) !== 'different');
		const others = [...sent.known.values()].filter(
			(other) => other !== own && other.textDigest === own.textDigest && isForSame(other),
		);
		const unmatched = others.filter(({ messageId }) => messageId === undefined);
		const takenIds = new Set(others.map(({ messageId }) => messageId));
		// A chat that changes while it is read can list a message twice, which must not count as two.
		const free = uniqBy(messages, 'id').filter(
			({ id, fromMe, hasMedia, text }) =>
				fromMe === true &&
				// The caption of a file is no text.
				hasMedia !== true &&
				text !== undefined &&
				sameTextDigest(text) === own.textDigest &&
				!takenIds.has(id),
		);
		const second = serviceSecondOf(own);
		const [candidates, earlier] = partition(free, ({ seconds = NaN }) => seconds >= second);
		const accounted = accountedFor(
			earlier.map(({ seconds = NaN }) => seconds),
			unmatched.map(serviceSecondOf),
		);
		const isCertain = candidates.length > unmatched.length - accounted && candidates.length <= maxCandidates;
		// One with other white space is rather that of another text. The chat begins with the newest one.
		const found = candidates.find(({ text }) => text === send.message) ?? candidates[0];
		const message = isCertain ? found : undefined;
		if (message) own.messageId = message.id;
		return message?.record;
	};

	/** Searches a chat for the messages of one or more texts. */
	const searchChat = async (
		to: string,
		sends: readonly TextSend[],
		maxCandidates?: number,
	): Promise<Array<IDataObject | undefined>> => {
		const [{ limits }] = sends as [TextSend];
		const chatId = await chatIdOf(client, to, limits);
		if (chatId === undefined) return [];
		const messages = await identifiedMessages(client, chatId, limits);
		return sends.map((send) => match(messages, chatId, send, maxCandidates));
	};

	return {
		async find(send) {
			for (const delayMs of SEARCH_DELAYS_MS) {
				await clock.sleep(delayMs);
				// If the search fails, the send stays unconfirmed.
				const found = await searchChat(send.to, [send]).catch(ignoreApiError);
				if (found?.[0]) return found[0];
			}
			return undefined;
		},

		async recover(send, sentAfter = -Infinity) {
			try {
				const chatId = await chatIdOf(client, send.to, send.limits);
				// Nobody has written to this person yet.
				if (chatId === undefined) return 'missing';
				const earliest = (sentAfter + account.clockOffsetMs - CLOCK_MARGIN_MS) / 1000;
				const messages = await messagesBackTo(client, chatId, send.limits, () => false);
				if (!messages) return undefined;
				const mayBeOwn = ({ fromMe, hasMedia, seconds = Infinity, text }: Message) =>
					fromMe !== false &&
					(text === undefined
						? hasMedia !== true && seconds >= earliest
						: looseKey(text) === looseKey(send.message));
				return messages.some(mayBeOwn) ? match(messages, chatId, send) : 'missing';
			} catch (error) {
				return await ignoreApiError(error);
			}
		},

		async identify(to, sends) {
			return (await searchChat(to, sends, 1)).map((record) => record?.id);
		},
	};
}

/** How many of the messages can belong to one of the sends each. All times are Unix seconds. */
function accountedFor(messages: number[], sends: number[]): number {
	let accounted = 0;
	for (const message of messages.toSorted((one, other) => one - other)) {
		if (accounted < sends.filter((send) => send <= message).length) accounted++;
	}
	return accounted;
}

/**
 * Its letters and digits: the service may write signs, accents, emoji or capital letters otherwise, or leave them out. A sign may have
 * become an entity of HTML. Small letters can have one capital and the other way round, as σ and ς have, or ß and ẞ.
 */
function looseKey(text: string): string {
	return text
		.normalize('NFKD')
		.replace(/&#?\w+;|[^\p{L}\p{N}]/gu, '')
		.toLowerCase()
		.toUpperCase();
}

async function ignoreApiError(error: unknown): Promise<undefined> {
	return error instanceof ApiError ? undefined : await Promise.reject(error);
}
