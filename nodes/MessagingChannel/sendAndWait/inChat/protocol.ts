import { jsonParse } from 'n8n-workflow';

import { readSignedHeader, signedHeader, type SignedRequest } from '../../api/signedHeader';
import { isRecord, parsedJson } from '../../api/values';

/** Signs what a trigger asks of a question's page. Node lists headers in lower case. */
export const ANSWER_HEADER = 'x-messaging-channel-answer';

/** A text that somebody wrote in the chat of a question. */
export interface ChatReply {
	/** The ID of the message. */
	messageId: string;
	/** The ID of the chat. */
	chat: string;
	/** Who wrote it, as far as the service says. */
	from?: string;
	text: string;
	/** Who has written a text since the question. */
	sendersSince: string[];
}

/**
 * What a trigger asks of the page of a question about a reply:
 * - `check`: whether the question is open, and the reply would answer it; nothing changes
 * - `take`: to continue the workflow with the reply
 */
export interface AnswerRequest extends ChatReply {
	phase: 'check' | 'take';
}

/** What the page answers. Any other response comes from n8n, or from elsewhere. */
export interface AnswerResponse {
	/** Whether the question can still be answered. */
	isOpen: boolean;
	/** Whether the reply answers it. */
	accepts?: boolean;
	/** Whether it would, if its author could be told from those whose answers do not count. */
	needsAuthor?: true;
	/** Whether the workflow continues with this reply. */
	taken?: boolean;
}

/**
 * The header of a request to the page of a question. It covers the link, so that it is of no use for another question, and the
 * body.
 *
 * @param link the signature of the link, which n8n made
 * @param now Unix time in milliseconds
 */
export function answerHeader(key: Buffer, link: string, body: Buffer, now: number): string {
	return signedHeader(signedRequest(key, link, body), now);
}

/**
 * Reads a request of a trigger. Whoever holds a link could otherwise forge a reply, and who wrote it.
 *
 * @param header the value of its header
 * @param link the signature of the link
 * @param now Unix time in milliseconds
 * @returns undefined if it is not signed with this key for this link, or is too old
 */
export function readAnswerRequest(
	header: unknown,
	key: Buffer,
	link: string,
	body: Buffer,
	now: number,
): AnswerRequest | undefined {
	const read = readSignedHeader(header, signedRequest(key, link, body), now);
	if (!read || read.kind !== undefined) return undefined;
	return jsonParse<AnswerRequest>(body.toString());
}

/** Reads the response of a page; undefined if it is none. */
export function readAnswerResponse(body: unknown): AnswerResponse | undefined {
	const value = parsedJson(body);
	if (!isRecord(value) || typeof value.isOpen !== 'boolean') return undefined;
	const { isOpen, accepts, taken, needsAuthor } = value;
	return {
		isOpen,
		accepts: accepts === true,
		taken: taken === true,
		...(needsAuthor === true && { needsAuthor }),
	};
}

function signedRequest(key: Buffer, link: string, body: Buffer): SignedRequest {
	return { key, body, textOf: (stamp) => `request\n${stamp}\n${link}` };
}
