import countBy from 'lodash/countBy';
import type { IDataObject } from 'n8n-workflow';

import { hasTextType } from '../api/messageType';
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
 */
export function conversationOf(
	messages: readonly IDataObject[],
	queued: readonly QueuedText[],
	{ length, since, excludedMessageIds }: ConversationRange,
): Turn[] {
	const cut = messages.findLastIndex(({ id }) => excludedMessageIds.includes(String(id)));
	const startedAt = cut < 0 ? Infinity : timeOf(messages[cut]);
	const before = messages.slice(cut + 1);
	const shown = before.filter((message) => !(timeOf(message) < since));
	// A text that was queued before that message can be shown after it. The model must know that it has replied.
	const notShown = textsNotShown(before, queued).filter(
		({ queuedAt }) => !(wholeSecond(queuedAt) > startedAt) && queuedAt >= since,
	);
	const turns = [
		...shown.map(turnOf).toReversed(),
		...notShown.map(({ text }): Turn => ({ role: 'assistant', text: withoutAnswerLinks(text) })),
	];
	return turns.filter(({ text }) => text !== '').slice(-length);
}

/** Whether the messages reach back to those that started the run, and far enough beyond them. */
export function isLongEnough(
	messages: readonly IDataObject[],
	{ length, since, excludedMessageIds }: ConversationRange,
): boolean {
	const places = excludedMessageIds.map((excluded) => messages.findIndex(({ id }) => id === excluded));
	if (places.includes(-1)) return false;
	const cut = Math.max(-1, ...places);
	return messages.length - cut - 1 >= length || timeOf(messages.at(-1)) < since;
}

function turnOf(message: IDataObject): Turn {
	const { from_me, type, body } = message;
	const text = withoutAnswerLinks(typeof body === 'string' ? body : '');
	return {
		role: from_me === true ? 'assistant' : 'user',
		text: (hasTextType(message) ? text : `[${String(type)}] ${text}`).trim(),
	};
}

/** The queued texts without those that the chat shows. Identical texts are counted. */
function textsNotShown(messages: readonly IDataObject[], queued: readonly QueuedText[]): QueuedText[] {
	const [oldest] = queued;
	if (!oldest) return [];
	const sent = messages.filter(
		(message) => message.from_me === true && timeOf(message) >= oldest.queuedAt - CLOCK_TOLERANCE_MS,
	);
	const shownTimes = new Map(Object.entries(countBy(sent, ({ body }) => String(body))));
	return queued.filter(({ text }) => {
		const count = shownTimes.get(text) ?? 0;
		shownTimes.set(text, count - 1);
		return count <= 0;
	});
}

/** The service gives its times in whole seconds. In the second of the message, a reply to an earlier one is more likely. */
function wholeSecond(ms: number): number {
	return Math.floor(ms / 1000) * 1000;
}

/** Unix time in milliseconds; NaN for a message without a time. */
function timeOf(message: IDataObject | undefined): number {
	return Number(message?.timestamp) * 1000;
}
