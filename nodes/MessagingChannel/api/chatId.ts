/**
 * What names a chat before the `@` of its id: of a chat with one person, the phone number (API spec, "Resources and
 * their fields"). A phone number is its own.
 */
export function numberInChatId(chat: string): string {
	return chat.replace(/@.*/s, '');
}
