import type { Message } from '../../api/message';
import { parseUrl } from '../../api/baseUrl';

/** The parameter in the query of a link that names the chat of its question. n8n signs it. */
export const CHAT_PARAMETER = 'chat';

/** The parameters of a link, and nothing else. */
const PARAMETERS = [CHAT_PARAMETER, 'run', 'signature'].join();

const URL_PATTERN = /https?:\/\/[^\s<>"']+/g;

/** A question that the account asked in a chat. */
export interface AskedQuestion {
	/** Its link. */
	link: string;
	/** When its message was sent, in Unix seconds. */
	askedAt: number;
	/** Who has written a text in the chat since, as far as the service says. */
	sendersSince: string[];
}

/** What the links of a chat's questions look like. */
export interface LinkPattern {
	/** The URL of this n8n below which executions wait, without a slash at its end. */
	waitingUrl: string;
	/** The tags of the chat; see `chatTagsOf`. Not set for any chat. */
	chatTags?: readonly string[];
}

/** Whether a text is a link of a question in this chat: one of this n8n, with the chat's tag and nothing unknown in it. */
export function isQuestionLink(link: string, { waitingUrl, chatTags }: LinkPattern): boolean {
	const url = link.startsWith(`${waitingUrl}/`) ? parseUrl(link) : undefined;
	if (!url) return false;
	const { href, hash, search, searchParams } = url;
	const path = link.slice(waitingUrl.length, link.length - search.length);
	return (
		// A link that the parser changes leads elsewhere, for example by a path with dots.
		href === link &&
		hash === '' &&
		/^\/[\w-]+\/[^/#]+$/.test(path) &&
		[...searchParams.keys()].sort().join() === PARAMETERS &&
		(!chatTags || chatTags.includes(chatTagIn(link)))
	);
}

/** The tag of the chat in the link of a question. */
export function chatTagIn(link: string): string {
	return String(new URL(link).searchParams.get(CHAT_PARAMETER));
}

/** What keeps a link of a question from being one here: this n8n has another URL, or the chat another name. */
function mismatchOf(link: string, { waitingUrl, chatTags }: LinkPattern): 'url' | 'chat' | undefined {
	const here = link.replace(/^.*(?=\/[^/?]+\/[^/?]+\?)/, waitingUrl);
	if (isQuestionLink(here, { waitingUrl, chatTags })) return here === link ? undefined : 'url';
	return isQuestionLink(link, { waitingUrl }) ? 'chat' : undefined;
}

/** Why what the account wrote last before a message came in is no question here, although it has the link of one. */
export function mismatchBefore(
	messages: readonly Message[],
	incoming: Message,
	pattern: LinkPattern,
): ReturnType<typeof mismatchOf> {
	const latest = olderMessages(messages, incoming).find(({ fromMe }) => fromMe === true);
	const links = latest?.text?.match(URL_PATTERN) ?? [];
	return links.map((link) => mismatchOf(link, pattern)).find((mismatch) => mismatch !== undefined);
}

/**
 * The questions that the account asked before a message came in, newest first. Only its own messages ask: everybody can
 * paste, quote or forward a link.
 *
 * @param messages the latest messages of the chat, newest first (API spec, "Chats")
 * @param incoming the message that came in
 */
export function questionsBefore(
	messages: readonly Message[],
	incoming: Message,
	pattern: LinkPattern,
): AskedQuestion[] {
	const questions = new Map<string, AskedQuestion>();
	const senders = new Set<string>();
	for (const message of olderMessages(messages, incoming)) {
		const { fromMe, from, seconds = NaN, text = '' } = message;
		if (fromMe !== true) {
			if (isText(message)) senders.add(from ?? '');
			continue;
		}
		const links = text.match(URL_PATTERN) ?? [];
		for (const link of links.filter((each) => isQuestionLink(each, pattern))) {
			// If several messages have the same link, the oldest one asked.
			questions.set(link, { link, askedAt: seconds, sendersSince: [...senders] });
		}
	}
	return [...questions.values()];
}

/** The service lists messages in their order; a message that it does not list yet has only its time, in whole seconds. */
function olderMessages(messages: readonly Message[], incoming: Message): readonly Message[] {
	const place = messages.findIndex(({ id }) => id !== undefined && id === incoming.id);
	if (place >= 0) return messages.slice(place + 1);
	const { seconds: arrivedAt = NaN } = incoming;
	return messages.filter(({ seconds = NaN }) => seconds < arrivedAt);
}

/** Whether a message is a text, and not a file with a caption. */
function isText({ hasTextType, text }: Message): boolean {
	return hasTextType && text !== undefined;
}

/** Whether a message can answer a question in its chat: a text that somebody else wrote. */
export function isReply(message: Message): boolean {
	return (message.fromMe === false || message.fromMe === 'missing') && isText(message);
}
