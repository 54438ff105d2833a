import uniqBy from 'lodash/uniqBy';

import { numberInChatId } from '../../api/chatId';

/** Removes duplicate recipients. A phone number and the chat with that number are one recipient. */
export function distinctRecipients(recipients: string[]): string[] {
	return uniqBy(recipients, (recipient) =>
		recipient.endsWith('@g.us') ? recipient : numberInChatId(recipient),
	);
}
