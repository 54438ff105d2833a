import type { RequestLimits } from '../../api/apiRequest';
import type { Client } from '../../api/client';
import type { Clock } from '../../api/clock';
import type { AccountState } from '../../api/rateLimiter';
import { type Message, unreadableInMessage, unreadableText } from '../../api/message';
import { compareRecipients, isHiddenId, phoneIn } from '../../recipients/recipient';
import { chatIdOf, messagesBackTo } from './chatMessages';

const HOUR_MS = 60 * 60 * 1000;

/**
 * Tells why a recipient who has not written lately gets no message.
 *
 * @param recipient a phone number or chat id
 * @param hours how long ago the latest message of theirs may be
 * @returns undefined if they wrote, or if the recipient is no person
 * @throws ApiError if the chat cannot be read, or not be understood
 */
export type WhoWrote = (
	recipient: string,
	hours: number,
	limits: RequestLimits,
) => Promise<string | undefined>;

/**
 * Creates the check of one account.
 *
 * @param account knows how far the clock of the service is ahead
 */
export function createWhoWrote(client: Client, clock: Clock, account: AccountState): WhoWrote {
	return async (recipient, hours, limits) => {
		// The members of a group are not known.
		if (phoneIn(recipient) === undefined && !isHiddenId(recipient)) return undefined;
		const reason = `No message of theirs in the last ${hours} hours was found in the chat`;
		const chatId = await chatIdOf(client, recipient, limits);
		// The service may find another chat by a part of the number.
		if (chatId === undefined || compareRecipients(recipient, chatId) === 'different') return reason;
		/** Unix seconds of the service's clock. A response shows how far it is ahead. */
		const since = () => (clock.now() + account.clockOffsetMs - hours * HOUR_MS) / 1000;
		const isEarlier = ({ seconds = 0 }: Message) => seconds < since();
		const isLate = (message: Message) => message.fromMe === false && !isEarlier(message);
		const isTheirs = (message: Message) => isLate(message) && isWritten(message);
		const isFarEnough = (page: Message[]) => page.some(isTheirs) || page.some(isEarlier);
		const messages = (await messagesBackTo(client, chatId, limits, isFarEnough)) ?? [];
		if (messages.some(isTheirs)) return undefined;
		const problemOf = (message: Message) =>
			unreadableInMessage(message) ?? (isLate(message) ? unreadableText(message) : undefined);
		const problem = messages.map(problemOf).find((found) => found !== undefined);
		if (problem) throw problem;
		return reason;
	};
}

/** Whether somebody wrote a message, or sent a file. Reactions are to ours, and the channel puts its own notices into a chat. */
function isWritten({ text, hasMedia, type, record }: Message): boolean {
	return (text !== undefined || hasMedia === true) && !/reaction/i.test(`${type} ${String(record.raw_type)}`);
}
