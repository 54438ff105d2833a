import { isGroupId, numberInChatId } from '../../api/chatId';

/** Identifies a recipient. A phone number and the chat with that number are one recipient. */
export function recipientKey(recipient: string): string {
	return isGroupId(recipient) ? recipient : numberInChatId(recipient);
}
