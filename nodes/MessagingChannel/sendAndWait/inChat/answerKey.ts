import { createHmac } from 'crypto';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { apiKeyIn } from '../../api/authentication';
import { recipientKey } from '../../recipients/recipient';

/**
 * The key of all that is signed for answers in the chat. It comes from the API key, which both nodes have. It is a key of its
 * own, so that nothing that is signed with it can pass for anything else.
 */
export function answerKeyOf(credential: ICredentialDataDecryptedObject): Buffer {
	return createHmac('sha256', apiKeyIn(credential))
		.update('n8n-nodes-messaging-channel: answers in the chat')
		.digest();
}

/** Identifies a chat in the links of its questions, and does not reveal the phone number. */
export function chatTagOf(key: Buffer, chat: string): string {
	return shortMacOf(key, `chat ${recipientKey(chat)}`);
}

/** The tags by which a chat can be asked: that of its ID, and that of the number that its ID hides. */
export function chatTagsOf(key: Buffer, { chat, phone }: { chat: string; phone?: string }): string[] {
	return [chat, ...(phone === undefined ? [] : [phone])].map((name) => chatTagOf(key, name));
}

/** Shows in the URL of the webhook for which credentials a trigger takes answers, and does not reveal the API key. */
export function answerTagOf(key: Buffer): string {
	return shortMacOf(key, 'answer tag');
}

/** Without letters and digits that look alike. */
const LETTERS = 'ACDEFHJKLMNPQRTUVWXY';
const DIGITS = '2345679';

/**
 * The code word of a question, such as `K7F4`, which tells it from other open questions of the chat. Letters and digits
 * alternate, so that it is no word and no number.
 *
 * @param link the link of the question
 */
export function codeWordOf(key: Buffer, link: string): string {
	const mac = createHmac('sha256', key).update(`code word ${link}`).digest();
	return [LETTERS, DIGITS, LETTERS, DIGITS]
		.map((characters, index) => characters[mac.readUInt16BE(2 * index) % characters.length])
		.join('');
}

function shortMacOf(key: Buffer, content: string): string {
	return createHmac('sha256', key).update(content).digest().subarray(0, 16).toString('base64url');
}
