import type { RequestLimits } from '../../api/apiRequest';
import type { Client } from '../../api/client';
import type { Clock } from '../../api/clock';
import type { AccountState } from '../../api/rateLimiter';
import { type Message, unreadableInMessage, unreadableText } from '../../api/message';
import { compareRecipients, isHiddenId, phoneIn, recipientKey } from '../../recipients/recipient';
import { chatIdOf, messagesBackTo } from './chatMessages';
import { MAX_AGE_MS, type Verdict } from './skipRecipients';

const HOUR_MS = 60 * 60 * 1000;

/**
 * Tells why a recipient who has not written lately gets no message.
 *
 * @param recipient a phone number or chat id
 * @param hours how long ago the latest message of theirs may be
 * @returns no reason if they wrote, or if the recipient is no person
 * @throws ApiError if the chat cannot be read, or not be understood
 */
export type WhoWrote = (recipient: string, hours: number, limits: RequestLimits) => Promise<Verdict>;

/**
 * Creates the check of one account and run. It reads each chat once, and again only if their latest message has become too old meanwhile.
 *
 * @param account knows how far the clock of the service is ahead
 */
export function createWhoWrote(client: Client, clock: Clock, account: AccountState): WhoWrote {
	const reads = new Map<string, { at: number; latest: Promise<number> }>();

	/** Unix seconds of the service's clock. A response shows how far it is ahead. */
	const since = (hours: number) => (clock.now() + account.clockOffsetMs - hours * HOUR_MS) / 1000;

	/** When their latest message was written, in Unix seconds; -Infinity if there is none from that time. */
	const readLatest = async (to: string, hours: number, limits: RequestLimits): Promise<number> => {
		const isEarlier = ({ seconds = 0 }: Message) => seconds < since(hours);
		const isLate = (message: Message) => message.fromMe === false && !isEarlier(message);
		const isTheirs = (message: Message) => isLate(message) && isWritten(message);
		const chatId = await chatIdOf(client, to, limits);
		// The service may find another chat by a part of the number.
		if (chatId === undefined || compareRecipients(to, chatId) === 'different') return -Infinity;
		const messages = await messagesBackTo(
			client,
			chatId,
			limits,
			(page) => page.some(isTheirs) || page.some(isEarlier),
		);
		const theirs = (messages ?? []).filter(isTheirs).map(({ seconds = 0 }) => seconds);
		const problemOf = (message: Message) =>
			unreadableInMessage(message) ?? (isLate(message) ? unreadableText(message) : undefined);
		const problem = messages?.map(problemOf).find((found) => found !== undefined);
		if (theirs.length === 0 && problem) throw problem;
		return Math.max(...theirs);
	};

	return async (recipient, hours, limits) => {
		// The members of a group are not known.
		if (phoneIn(recipient) === undefined && !isHiddenId(recipient))
			return { reason: undefined, knownAt: clock.elapsed() };
		const key = JSON.stringify([recipientKey(recipient), hours, limits.maxAttempts, limits.maxRateLimitWait]);
		let read = reads.get(key);
		const isInTime = async () => read !== undefined && (await read.latest) >= since(hours);
		const isFresh = read && clock.elapsed() - read.at < MAX_AGE_MS;
		// What could not be read is read again, too.
		if (!isFresh && !(await isInTime().catch(() => false))) {
			read = { at: clock.elapsed(), latest: readLatest(recipient, hours, limits) };
			reads.set(key, read);
		}
		const reason = `No message of theirs in the last ${hours} hours was found in the chat`;
		return { reason: (await isInTime()) ? undefined : reason, knownAt: clock.elapsed() };
	};
}

/** Whether somebody wrote a message, or sent a file. Reactions are to ours, and the channel puts its own notices into a chat. */
function isWritten({ text, hasMedia, type, record }: Message): boolean {
	return (text !== undefined || hasMedia === true) && !/reaction/i.test(`${type} ${String(record.raw_type)}`);
}
