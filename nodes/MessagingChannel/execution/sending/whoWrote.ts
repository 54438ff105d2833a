import type { RequestLimits } from '../../api/apiRequest';
import type { Client } from '../../api/client';
import type { Clock } from '../../api/clock';
import type { AccountState } from '../../api/rateLimiter';
import { type Message, unreadableInMessage, unreadableText } from '../../api/message';
import { compareRecipients, isPerson } from '../../recipients/recipient';
import { chatIdOf, messagesBackTo } from './chatMessages';

const HOUR_MS = 60 * 60 * 1000;

/**
 * Why a recipient who has not written lately gets no message; undefined if they wrote, or if the recipient is no person.
 *
 * @param state knows how far the clock of the service is ahead
 * @param hours how long ago the latest message of theirs may be
 * @throws ApiError if the chat cannot be read, or not be understood
 */
export async function reasonIfSilent(
	{ client, state }: { client: Client; state: Pick<AccountState, 'clockOffsetMs'> },
	clock: Clock,
	recipient: string,
	hours: number,
	limits: RequestLimits,
): Promise<string | undefined> {
	// The members of a group are not known.
	if (!isPerson(recipient)) return undefined;
	const reason = `No message of theirs in the last ${hours} hours was found in the chat`;
	const chatId = await chatIdOf(client, recipient, limits);
	// The service may find another chat by a part of the number.
	if (chatId === undefined || compareRecipients(recipient, chatId) === 'different') return reason;
	/** Unix seconds of the service's clock. A response shows how far it is ahead. */
	const since = () => (clock.now() + state.clockOffsetMs - hours * HOUR_MS) / 1000;
	const isEarlier = ({ seconds = 0 }: Message) => seconds < since();
	const isLate = (message: Message) => message.fromMe === false && !isEarlier(message);
	const isTheirs = (message: Message) => isLate(message) && isWritten(message);
	const isFarEnough = (page: Message[]) => page.some(isTheirs) || page.some(isEarlier);
	const messages = (await messagesBackTo(client, chatId, limits, isFarEnough)) ?? [];
	if (messages.some(isTheirs)) return undefined;
	const problemOf = (message: Message) =>
		unreadableInMessage(message) ?? (isLate(message) ? unreadableText(message) : undefined);
	const problem = messages.map(problemOf).find(Boolean);
	if (problem) throw problem;
	return reason;
}

/** Whether somebody wrote a message, or sent a file. Reactions are to ours, and the channel puts its own notices into a chat. */
function isWritten({ text, hasMedia, type, record }: Message): boolean {
	return (text !== undefined || hasMedia === true) && !/reaction/i.test(`${type} ${String(record.raw_type)}`);
}
