import type { IN8nHttpFullResponse } from 'n8n-workflow';

import {
	ANSWER_HEADER,
	answerHeader,
	readAnswerResponse,
	type AnswerRequest,
	type AnswerResponse,
} from '../../sendAndWait/inChat/protocol';
import type { HttpRequest } from '../sharing/forward';

/** n8n responds when it has stored the execution. */
const TIMEOUT_MS = 10_000;

/**
 * What the page of a question answers:
 * - `closed`: the execution has ended, or the link is not genuine
 * - `running`: the execution does not wait, or not yet
 * - `unknown`: n8n could not be reached, starts, or had a problem
 */
export type PageReply = AnswerResponse | 'closed' | 'running' | 'unknown';

/**
 * Asks the page of a question about a reply.
 *
 * @param now Unix time in milliseconds
 */
export async function askPage(
	link: string,
	request: AnswerRequest,
	{ httpRequest, key, now }: { httpRequest: HttpRequest; key: Buffer; now: number },
): Promise<PageReply> {
	const body = Buffer.from(JSON.stringify(request));
	const signature = new URL(link).searchParams.get('signature') ?? '';
	const response = await httpRequest({
		method: 'POST',
		url: link,
		body,
		headers: {
			'content-type': 'application/json',
			[ANSWER_HEADER]: answerHeader(key, signature, body, now),
		},
		timeout: TIMEOUT_MS,
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
	}).catch(() => undefined);
	return response === undefined ? 'unknown' : replyIn(response as IN8nHttpFullResponse);
}

/** Reads a response of the page, or what n8n responds instead of it. */
export function replyIn({ statusCode, body }: Pick<IN8nHttpFullResponse, 'statusCode' | 'body'>): PageReply {
	const answer = statusCode === 200 || statusCode === 410 ? readAnswerResponse(body) : undefined;
	if (answer) return answer;
	const text = typeof body === 'string' ? body : JSON.stringify(body);
	switch (statusCode) {
		case 401:
			return 'closed';
		case 404:
			// A proxy responds 404 without it.
			return text.includes('does not exist') ? 'closed' : 'unknown';
		case 409:
			return text.includes('has finished') ? 'closed' : 'running';
		case 200:
			// n8n responds 200 to everything while it starts.
			return /no action required/i.test(text) ? 'closed' : 'unknown';
	}
	return 'unknown';
}
