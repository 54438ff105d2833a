import { createHash, createHmac, randomUUID, timingSafeEqual } from 'crypto';
import { jsonParse } from 'n8n-workflow';

import { TOLERANCE_MS } from '../../api/timestampTolerance';
import { isRecord, parsedJson } from '../../api/values';
import type { ChatReply } from './readReply';

/** Signs what a trigger asks of a question's page. Node lists headers in lower case. */
export const ANSWER_HEADER = 'x-messaging-channel-answer';

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
	/** Whether the workflow continues with this reply. */
	taken?: boolean;
}

const SIGNED_STAMP = /^(?<stamp>(?<time>\d{1,15})\.[\da-f-]{36})\.(?<mac>[\w-]+)$/;

/**
 * The header of a request to the page of a question. It covers the link, so that it is of no use for another question, and the
 * body.
 *
 * @param link the signature of the link, which n8n made
 * @param now Unix time in milliseconds
 */
export function answerHeader(key: Buffer, link: string, body: Buffer, now: number): string {
	const stamp = `${now}.${randomUUID()}`;
	return `${stamp}.${macOf(key, stamp, link, body)}`;
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
	const match = typeof header === 'string' ? SIGNED_STAMP.exec(header) : undefined;
	if (!match) return undefined;
	const { stamp, time, mac } = match.groups as Record<'stamp' | 'time' | 'mac', string>;
	const expected = Buffer.from(macOf(key, stamp, link, body));
	const given = Buffer.from(mac);
	if (expected.length !== given.length || !timingSafeEqual(expected, given)) return undefined;
	if (!(Math.abs(now - Number(time)) <= TOLERANCE_MS)) return undefined;
	return jsonParse<AnswerRequest>(body.toString());
}

/** Reads the response of a page; undefined if it is none. */
export function readAnswerResponse(body: unknown): AnswerResponse | undefined {
	const value = parsedJson(body);
	if (!isRecord(value) || typeof value.isOpen !== 'boolean') return undefined;
	return { isOpen: value.isOpen, accepts: value.accepts === true, taken: value.taken === true };
}

function macOf(key: Buffer, stamp: string, link: string, body: Buffer): string {
	const digest = createHash('sha256').update(body).digest('hex');
	return createHmac('sha256', key).update(`request\n${stamp}\n${link}\n${digest}`).digest('base64url');
}
