/** Whether a text is a chat id: a phone number or a group, `@`, and the suffix of the channel. */
export function isChatId(entered: string): boolean {
	return /^[^\s@/]+@[^\s@/]+$/.test(entered);
}

/**
 * The part of a chat id before the `@`: the phone number, for a chat with one person (API spec, "Resources and their
 * fields"), without the + that people write before it. Digits are returned unchanged.
 */
export function numberInChatId(chat: string): string {
	return chat.replace(/^\+|@.*/gs, '');
}

/** Whether a chat id is that of a group, which can begin like a phone number. */
export function isGroupId(chat: string): boolean {
	return chat.endsWith('@g.us');
}

/** Identifies a recipient. A phone number and the chat with that person are one recipient. */
export function recipientKey(recipient: string): string {
	return isGroupId(recipient) ? recipient : numberInChatId(recipient);
}

/** Only the service knows the country of a number with a leading 0, so a number of any country can match it. */
export function isSameRecipient(first: string, second: string): boolean {
	const [national, full] = first.startsWith('0') ? [first, second] : [second, first];
	if (first === second) return true;
	// A partition key can also be a path, which ends with a number.
	return national.startsWith('0') && /^\d/.test(full) && full.endsWith(national.slice(1));
}
