import { post, type HttpRequest, type Post } from '../../n8n/httpRequest';
import { requestHeader, REQUEST_HEADER, RESPONSE_HEADER, type InternalRequestKind } from './internalRequest';
import type { Subscriber } from '../../webhook/subscribers';

/** A delivery of the service, as it came in. */
export interface IncomingDelivery {
	headers: Record<string, string | string[] | undefined>;
	rawBody: Buffer;
}

/**
 * How a subscriber responded:
 * - `accepted`: it has the event
 * - `refused`: it will never accept the event, so a redelivery is useless
 * - `unverified`: the same, but a trigger responded, which reports to its user itself that its secret is wrong
 * - `absent`: there is nothing at its URL (404)
 * - `failed`: the service must deliver again
 */
export type ForwardResult = 'accepted' | 'refused' | 'unverified' | 'absent' | 'failed';

/** 4xx responses that ask the sender to try again. */
const RETRYABLE = [408, 425, 429];

/**
 * Forwards a delivery to a subscriber: the same bytes with the same headers, as far as the service sends them. Without a
 * response in time, it has `failed`.
 */
export async function forward(
	{ headers, rawBody }: IncomingDelivery,
	{ url, kind }: Subscriber,
	{ request, secret, timeoutMs, now }: ForwardOptions,
): Promise<ForwardResult> {
	const isOurs = kind !== 'external';
	const ownHeader = { [REQUEST_HEADER]: requestHeader('event', rawBody, secret, now) };
	const response = await postTo(request, {
		url,
		body: rawBody,
		timeout: timeoutMs,
		// Another system gets nothing that the service does not send.
		headers: { ...serviceHeaders(headers), ...(isOurs && ownHeader) },
	});
	if (!response) return 'failed';
	const { statusCode } = response;
	if (statusCode >= 200 && statusCode < 300) return !isOurs || response.isFromTrigger ? 'accepted' : 'failed';
	if (statusCode === 404) return 'absent';
	if (statusCode < 400 || statusCode >= 500 || RETRYABLE.includes(statusCode)) return 'failed';
	return isOurs && response.isFromTrigger ? 'unverified' : 'refused';
}

/** What forwarding needs. */
export interface ForwardOptions {
	request: HttpRequest;
	/** The signing secret of the account. */
	secret: string;
	/** How long the response may take. */
	timeoutMs: number;
	/** Unix time in milliseconds. */
	now: number;
}

/** A response between triggers. */
export interface InternalResponse {
	statusCode: number;
	body: unknown;
	/** Whether a trigger of this package responded. */
	isFromTrigger: boolean;
}

/**
 * Sends a request of one trigger to another.
 *
 * @returns undefined if there was no response in time
 */
export async function sendInternal(
	kind: InternalRequestKind,
	url: string,
	body: object,
	{ request, secret, timeoutMs, now }: ForwardOptions,
): Promise<InternalResponse | undefined> {
	const rawBody = Buffer.from(JSON.stringify(body));
	const headers = {
		'content-type': 'application/json',
		[REQUEST_HEADER]: requestHeader(kind, rawBody, secret, now),
	};
	return await postTo(request, { url, body: rawBody, timeout: timeoutMs, headers });
}

async function postTo(request: HttpRequest, options: Post): Promise<InternalResponse | undefined> {
	const response = await post(request, options).catch(() => undefined);
	if (!response) return undefined;
	const { statusCode, body, headers } = response;
	return { statusCode, body, isFromTrigger: headers[RESPONSE_HEADER] !== undefined };
}

/** The headers that the service sends (API spec, "Delivery request headers"). */
function serviceHeaders(headers: IncomingDelivery['headers']): Record<string, string> {
	const isSent = (name: string) => /^(content-type|user-agent|x-service-.*)$/.test(name);
	const sent = Object.entries(headers).filter(
		(header): header is [string, string] => isSent(header[0]) && typeof header[1] === 'string',
	);
	// Without a content type, n8n's HTTP helper would send one for forms.
	return { 'content-type': 'application/json', ...Object.fromEntries(sent) };
}
