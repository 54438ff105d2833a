import type { IN8nHttpFullResponse } from 'n8n-workflow';

import { networkFailureOf } from '../../api/networkFailure';
import { get, post, type HttpRequest } from '../../n8n/httpRequest';
import { isSignatureRefused } from '../../n8n/waitingExecution';
import {
	ANSWER_HEADER,
	answerHeader,
	readAnswerResponse,
	type AnswerRequest,
	type AnswerResponse,
} from '../../sendAndWait/inChat/protocol';
import { parseUrl } from '../../api/baseUrl';

/** n8n responds when it has stored the execution. */
const TIMEOUT_MS = 10_000;

/**
 * What the page of a question answers:
 * - `closed`: the execution has ended
 * - `unsigned`: n8n does not accept its own signature of the link
 * - `running`: the execution does not wait for an answer to it, or not yet
 * - `refused`: n8n could not be reached, starts, or could not store the answer, so the question did not take it
 * - `unknown`: there is no response of n8n, which may have taken it
 */
export type PageReply = AnswerResponse | 'closed' | 'unsigned' | 'running' | 'refused' | 'unknown';

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
	const headers = {
		'content-type': 'application/json',
		[ANSWER_HEADER]: answerHeader(key, signature, body, now),
	};
	return await post(httpRequest, { url: link, body, headers, timeout: TIMEOUT_MS }).then(
		(response) => (leadsToForm(link, response) ? 'running' : replyIn(response)),
		(error: unknown) => (networkFailureOf(error).neverSent ? 'refused' : 'unknown'),
	);
}

/** Whether the page of a question shows that it is closed, to somebody who cannot ask it about a reply. */
export async function isClosed(link: string, httpRequest: HttpRequest): Promise<boolean> {
	return await get(httpRequest, { url: link, timeout: TIMEOUT_MS }).then(
		(response) => response.statusCode === 410 || replyIn(response) === 'closed',
		() => false,
	);
}

/**
 * Whether n8n leads to the form of the same execution. It does so while the last node that it has stored is a form, also when the
 * execution has ended, or runs and is about to wait for an answer.
 */
function leadsToForm(link: string, { statusCode, headers }: IN8nHttpFullResponse): boolean {
	const location = String(headers.location);
	const target = parseUrl(location, link);
	if (statusCode !== 307 || !target) return false;
	const [asked, form] = [placeOf(link), placeOf(target.href)];
	// A proxy that leads to another host or to HTTPS keeps the first part.
	return form.execution === asked.execution && form.endpoint !== asked.endpoint;
}

/** The end of a URL below which an execution waits: the name of n8n's endpoint, and the IDs of the execution and the node. */
function placeOf(url: string): { endpoint?: string; execution: string } {
	const [endpoint, ...execution] = new URL(url).pathname.split('/').slice(-3);
	return { endpoint, execution: execution.join() };
}

/** Reads a response of the page, or what n8n responds instead of it. */
export function replyIn({ statusCode, body }: Pick<IN8nHttpFullResponse, 'statusCode' | 'body'>): PageReply {
	const answer = statusCode === 200 || statusCode === 410 ? readAnswerResponse(body) : undefined;
	if (answer) return answer;
	// n8n responds with JSON or a page.
	const text = JSON.stringify(body);
	switch (statusCode) {
		case 401:
			if (readAnswerResponse(body)) return 'closed';
			return isSignatureRefused({ statusCode, body }) ? 'unsigned' : 'refused';
		case 404:
			// A proxy responds 404 without it.
			return /The execution .* does not exist/.test(text) ? 'closed' : 'refused';
		case 409:
			return text.includes('has finished') ? 'closed' : 'running';
		case 200:
			if (/no action required/i.test(text)) return 'closed';
			// n8n responds 200 to everything while it starts.
			return text.includes('starting up') ? 'refused' : 'unknown';
		case 500:
			// The database failed, or n8n continued the execution for another reason at that moment.
			return text.includes('There was a problem executing the workflow') ? 'refused' : 'unknown';
	}
	return 'unknown';
}
