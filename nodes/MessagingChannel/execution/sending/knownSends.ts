import uniqBy from 'lodash/uniqBy';

import type { Message } from '../../api/message';
import type { AccountState } from '../../api/rateLimiter';
import { compareRecipients } from '../../recipients/recipient';
import { sameTextDigest } from './digest';

/** A text that was sent or may have been sent. Without a `messageId`, any identical message in the chat may be its own. */
export interface KnownSend {
	recipient: string;
	/** A digest takes less memory than the text. */
	textDigest: string;
	attemptedAt: number;
	/** How far the service's clock was ahead of ours at the attempt, in milliseconds. */
	clockOffsetMs?: number;
	/** The ID of the message that was matched with this send. */
	messageId?: string;
}

/** The texts that this process sent from one account, by send ID, oldest first. */
export type KnownSends = Map<string, KnownSend>;

/** By account, as the same chats are read by all executions. */
const knownSends = new WeakMap<AccountState, KnownSends>();

/** The known sends of an account. All executions of this process share them. */
export function knownSendsOf(account: AccountState): KnownSends {
	const known = knownSends.get(account) ?? new Map<string, KnownSend>();
	knownSends.set(account, known);
	return known;
}

/** Which messages of a chat can be those of some sends with one text and one recipient. */
export interface OwnMessages {
	/** The messages that none of these sends has yet, in the order of the chat. */
	free: Message[];
	/** The sends that have no message yet. */
	unmatched: KnownSend[];
}

/**
 * Finds which messages of a chat can be those of the sends with a text to a recipient. They cannot be told apart, only counted.
 *
 * @param listed the messages of the chat
 * @param sends all sends with this text
 * @param recipients the recipient in all its forms. The service may resolve the entered number to another one, and other sends may
 *   use either of the two
 */
export function ownMessagesIn(
	listed: readonly Message[],
	textDigest: string,
	sends: readonly KnownSend[],
	recipients: readonly string[],
): OwnMessages {
	const identical = sends.filter(({ recipient }) =>
		recipients.some((each) => compareRecipients(recipient, each) !== 'different'),
	);
	const takenIds = new Set(identical.map(({ messageId }) => messageId));
	return {
		// A chat that changes while it is read can list a message twice, which must not count as two.
		free: uniqBy(listed, 'id').filter(
			({ id, fromMe, hasMedia, text = '' }) =>
				fromMe === true &&
				// The caption of a file is no text.
				hasMedia !== true &&
				sameTextDigest(text) === textDigest &&
				!takenIds.has(id),
		),
		unmatched: identical.filter(({ messageId }) => messageId === undefined),
	};
}
