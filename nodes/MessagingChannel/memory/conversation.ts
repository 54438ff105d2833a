import countBy from 'lodash/countBy';
import type { IDataObject } from 'n8n-workflow';

import { parseMessage, unreadableSender } from '../api/message';
import { flagOf, idOf, secondsOf } from '../api/reading';
import type { QueuedText } from '../execution/sending/queuedTexts';
import { withoutAnswerLinks } from '../sendAndWait/withoutAnswerLinks';

/** One message of the conversation, as the model gets it. */
export interface Turn {
	/** Whoever wrote from the account counts as the assistant. */
	role: 'user' | 'assistant';
	text: string;
}

/** Which part of the chat the model gets. */
export interface ConversationRange {
	/** The number of messages, the latest ones. */
	length: number;
	/** Messages before this are left out, in Unix milliseconds by the service's clock; -Infinity for none. */
	since: number;
	/** The messages that started the run: the first of them and all later ones are left out. */
	excludedMessageIds: readonly string[];
}

/** The clocks of the service and of this process differ, and timestamps of messages are whole seconds. */
const CLOCK_TOLERANCE_MS = 5000;

/**
 * Builds the conversation from the messages of a chat.
 *
 * @param messages newest first, as the service lists them (API spec, "Chats")
 * @param queued texts of this process that the chat may not show yet, oldest first; their times by the service's clock
 * @returns oldest first
 * @throws UnreadableField if it is not understood who wrote a message
 */
export function conversationOf(
	messages: readonly IDataObject[],
	queued: readonly QueuedText[],
	range: ConversationRange,
): Turn[] {
	const shown = messagesBefore(messages, range).filter((message) => !(timeOf(message) < range.since));
	const turns = [
		...shown.map(toTurn).toReversed(),
		...textsNotShown(messages, queued, range).map(({ text }): Turn => ({
			role: 'assistant',
			text: withoutAnswerLinks(text),
		})),
	];
	return turns.filter(({ text }) => text !== '').slice(-range.length);
}

/**
 * Whether the messages reach back to those that started the run, and far enough beyond them: also to where the chat would have
 * shown the queued texts that they do not show.
 */
export function isLongEnough(
	messages: readonly IDataObject[],
	queued: readonly QueuedText[],
	range: ConversationRange,
): boolean {
	const { length, since, excludedMessageIds } = range;
	if (!excludedMessageIds.every((excluded) => messages.some(({ id }) => idOf(id) === excluded))) return false;
	const [oldest] = textsNotShown(messages, queued, range);
	const reachedAt = timeOf(messages.at(-1));
	if (oldest && !(reachedAt < oldest.queuedAt - CLOCK_TOLERANCE_MS)) return false;
	return messagesBefore(messages, range).length >= length || reachedAt < since;
}

/** Those before the messages that started the run. */
function messagesBefore(
	messages: readonly IDataObject[],
	{ excludedMessageIds }: ConversationRange,
): readonly IDataObject[] {
	return messages.slice(startIn(messages, excludedMessageIds) + 1);
}

/** The place of the first message that started the run; -1 if it is not there. */
function startIn(messages: readonly IDataObject[], excludedMessageIds: readonly string[]): number {
	return messages.findLastIndex(({ id }) => excludedMessageIds.includes(idOf(id) ?? ''));
}

/** @throws UnreadableField if it is not understood who wrote the message */
function toTurn(message: IDataObject): Turn {
	const { fromMe, hasTextType, text: shown = '', record } = parseMessage(message);
	const text = withoutAnswerLinks(shown);
	if (typeof fromMe !== 'boolean') throw unreadableSender(record);
	return {
		role: fromMe ? 'assistant' : 'user',
		text: (hasTextType ? text : `[${String(record.type)}] ${text}`).trim(),
	};
}

/**
 * The queued texts that belong to the conversation, without those that the chat shows there. Identical texts are counted. A text
 * that was queued before the message that started the run can be shown after it: the model must know that it has replied.
 */
function textsNotShown(
	messages: readonly IDataObject[],
	queued: readonly QueuedText[],
	range: ConversationRange,
): QueuedText[] {
	const [oldest] = queued;
	if (!oldest) return [];
	// Without such a message it is not a number, and nothing is later than that.
	const startedAt = timeOf(messages[startIn(messages, range.excludedMessageIds)]);
	const sent = messagesBefore(messages, range).filter(
		(message) => flagOf(message.from_me) === true && timeOf(message) >= oldest.queuedAt - CLOCK_TOLERANCE_MS,
	);
	const shownTimes = new Map(Object.entries(countBy(sent, ({ body }) => String(body))));
	const notShown = queued.filter(({ text }) => {
		const count = shownTimes.get(text) ?? 0;
		shownTimes.set(text, count - 1);
		return count <= 0;
	});
	return notShown.filter(({ queuedAt }) => !(wholeSecond(queuedAt) > startedAt) && queuedAt >= range.since);
}

/** The service gives its times in whole seconds. In the second of the message, a reply to an earlier one is more likely. */
function wholeSecond(ms: number): number {
	return Math.floor(ms / 1000) * 1000;
}

/** Unix time in milliseconds; NaN for a message without a time. */
function timeOf(message: IDataObject | undefined): number {
	return (secondsOf(message?.timestamp) ?? NaN) * 1000;
}
