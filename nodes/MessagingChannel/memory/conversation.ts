import groupBy from 'lodash/groupBy';
import sortBy from 'lodash/sortBy';

import { type Message, unreadableMessageTime, unreadableSender, unreadableText } from '../api/message';
import { sameTextKey, type QueuedText } from '../execution/sending/sentTexts';
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
 * @throws UnreadableField if it is not understood who wrote one of them, what, or whether it is too old
 */
export function conversationOf(
	messages: readonly Message[],
	queued: readonly QueuedText[],
	range: ConversationRange,
): Turn[] {
	const shown = messagesBefore(messages, range).filter((message) => !(timeOf(message) < range.since));
	const { notShown, shownAs } = compare(messages, queued, range);
	let reachedAt = -Infinity;
	const all = [
		...shown.toReversed().map((message) => {
			const at = timeOf(message);
			// One without a time keeps its place in the list.
			if (!Number.isNaN(at)) reachedAt = at;
			// The service sends a queued text later. It answers what was there when it was queued.
			const queuedAt = shownAs.get(message)?.queuedAt ?? Infinity;
			return { at: Math.min(reachedAt, wholeSecond(queuedAt)), turn: () => toTurn(message, range) };
		}),
		...notShown.map(({ text, file, queuedAt }) => ({
			at: wholeSecond(queuedAt),
			turn: (): Turn => ({ role: 'assistant', text: turnText(withoutAnswerLinks(text), file) }),
		})),
	];
	const latest: Turn[] = [];
	// What is not understood of a message that the model does not get harms nobody.
	for (const { turn } of sortBy(all, 'at').toReversed()) {
		if (latest.length === range.length) break;
		const next = turn();
		if (next.text !== '') latest.push(next);
	}
	return latest.reverse();
}

/**
 * Whether the messages reach back to those that started the run, and far enough beyond them: also to where the chat would have
 * shown the queued texts that they do not show.
 */
export function isLongEnough(
	messages: readonly Message[],
	queued: readonly QueuedText[],
	range: ConversationRange,
): boolean {
	const { length, since } = range;
	if (!hasStart(messages, range)) return false;
	const [oldest] = compare(messages, queued, range).notShown;
	const reachedAt = timeOf(messages.at(-1));
	if (oldest && !(reachedAt < oldest.queuedAt - CLOCK_TOLERANCE_MS)) return false;
	return messagesBefore(messages, range).length >= length || reachedAt < since;
}

/** Whether the messages that started the run are among these. */
export function hasStart(messages: readonly Message[], { excludedMessageIds }: ConversationRange): boolean {
	return excludedMessageIds.every((excluded) => messages.some(({ id }) => id === excluded));
}

/** Those before the messages that started the run. */
function messagesBefore(
	messages: readonly Message[],
	{ excludedMessageIds }: ConversationRange,
): readonly Message[] {
	return messages.slice(startIn(messages, excludedMessageIds) + 1);
}

/** The place of the first message that started the run; -1 if it is not there. */
function startIn(messages: readonly Message[], excludedMessageIds: readonly string[]): number {
	return messages.findLastIndex(({ id }) => id !== undefined && excludedMessageIds.includes(id));
}

/** @throws UnreadableField if it is not understood who wrote the message, what, or how old it is if that counts */
function toTurn(message: Message, { since }: ConversationRange): Turn {
	const { fromMe, hasTextType, type, text: shown = '', record } = message;
	const text = withoutAnswerLinks(shown);
	if (typeof fromMe !== 'boolean') throw unreadableSender(record);
	const problem = unreadableText(message) ?? (since > -Infinity ? unreadableMessageTime(message) : undefined);
	if (problem) throw problem;
	return {
		role: fromMe ? 'assistant' : 'user',
		text: turnText(text.trim(), hasTextType ? undefined : String(type)),
	};
}

function turnText(text: string, type: string | undefined): string {
	return type === undefined ? text : `[${type}] ${text}`.trim();
}

/** The queued texts of a conversation, compared with the messages that the chat shows. */
interface Comparison {
	notShown: QueuedText[];
	/** Which text a message is. */
	shownAs: Map<Message, QueuedText>;
}

/**
 * Finds the queued texts that belong to the conversation among its messages. Of identical ones, the first is the one that was
 * queued first. A text that was queued before the message that started the run can be shown after it: the model must know
 * that it has replied.
 */
function compare(
	messages: readonly Message[],
	queued: readonly QueuedText[],
	range: ConversationRange,
): Comparison {
	const shownAs = new Map<Message, QueuedText>();
	const [oldest] = queued;
	if (!oldest) return { notShown: [], shownAs };
	// Without such a message it is not a number, and nothing is later than that.
	const startedAt = timeOf(messages[startIn(messages, range.excludedMessageIds)]);
	const sent = messagesBefore(messages, range).filter(
		(message) => message.fromMe === true && timeOf(message) >= oldest.queuedAt - CLOCK_TOLERANCE_MS,
	);
	const sentTexts = groupBy(sent.toReversed(), ({ text = '' }) => textKey(text));
	const notShown = queued.filter((text) => {
		const message = sentTexts[textKey(text.text)]?.shift();
		if (message) shownAs.set(message, text);
		return !message;
	});
	return {
		notShown: notShown.filter(
			({ queuedAt }) => !(wholeSecond(queuedAt) > startedAt) && queuedAt >= range.since,
		),
		shownAs,
	};
}

/** As the key of an object, a text must not be the name of what every object has. That of a file is its caption. */
function textKey(text: string): string {
	return `text ${sameTextKey(text)}`;
}

/** The service gives its times in whole seconds. In the second of the message, a reply to an earlier one is more likely. */
function wholeSecond(ms: number): number {
	return Math.floor(ms / 1000) * 1000;
}

/** Unix time in milliseconds; NaN for a message without a time. */
function timeOf(message: Message | undefined): number {
	return (message?.seconds ?? NaN) * 1000;
}
