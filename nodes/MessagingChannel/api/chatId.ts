/**
 * The part of a chat id before the `@`: the phone number, for a chat with one person (API spec, "Resources and their
 * fields"). A phone number is returned unchanged.
 */
export function numberInChatId(chat: string): string {
	return chat.replace(/@.*/s, '');
}

/** Whether a chat id is that of a group, which can begin like a phone number. */
export function isGroupId(chat: string): boolean {
	return chat.endsWith('@g.us');
}

/** Identifies a recipient. A phone number and the chat with that person are one recipient. */
export function recipientKey(recipient: string): string {
	return isGroupId(recipient) ? recipient : numberInChatId(recipient);
}
