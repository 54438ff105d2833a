import uniqBy from 'lodash/uniqBy';

import { numberInChatId } from '../../api/chatId';

/** Who gets a broadcast, each once: a number and the chat of that number are one person, a group is itself. */
export function distinctRecipients(recipients: string[]): string[] {
	return uniqBy(recipients, (recipient) =>
		recipient.endsWith('@g.us') ? recipient : numberInChatId(recipient),
	);
}
