import type { IHttpRequestOptions } from 'n8n-workflow';

import {
	forward,
	sendInternal,
	type ForwardResult,
} from '../../../../nodes/MessagingChannel/trigger/sharing/forward';
import {
	REQUEST_HEADER,
	requestKind,
	RESPONSE_HEADER,
} from '../../../../nodes/MessagingChannel/trigger/sharing/internalRequest';
import type { Subscriber } from '../../../../nodes/MessagingChannel/webhook/subscribers';
import { BODY, delivery, NOW, SECRET } from '../deliveries';

const MARK = { [RESPONSE_HEADER]: '1' };
const to = (kind: Subscriber['kind']): Subscriber => ({
	url: 'https://n8n.example.com/webhook/1/webhook',
	kind,
	events: [],
	timeoutSeconds: 30,
});
const incoming = (headers: Record<string, string | string[] | undefined> = {}) => ({
	headers: { ...delivery(BODY, { 'user-agent': 'Service-Webhook/1.0' }).headers, ...headers },
	rawBody: Buffer.from(BODY),
});

/** n8n's HTTP helper with one response, and the requests that it got. */
function helper(statusCode: number | null, headers: Record<string, string> = {}) {
	const requests: IHttpRequestOptions[] = [];
	const request = async (options: IHttpRequestOptions) => {
		requests.push(options);
		if (statusCode === null) throw new Error('timeout of 1000ms exceeded');
		return { statusCode, headers, body: {} };
	};
	return { requests, options: { request, secret: SECRET, timeoutMs: 1_000, now: NOW } };
}

test.each<[string, number | null, ForwardResult, ForwardResult, ForwardResult]>([
	// With the mark, without it, from another system.
	['200', 200, 'accepted', 'failed', 'accepted'],
	['204', 204, 'accepted', 'failed', 'accepted'],
	['101', 101, 'failed', 'failed', 'failed'],
	['300', 300, 'failed', 'failed', 'failed'],
	['302', 302, 'failed', 'failed', 'failed'],
	['400', 400, 'unverified', 'refused', 'refused'],
	['401', 401, 'unverified', 'refused', 'refused'],
	['404', 404, 'absent', 'absent', 'absent'],
	['408', 408, 'failed', 'failed', 'failed'],
	['410', 410, 'unverified', 'refused', 'refused'],
	['425', 425, 'failed', 'failed', 'failed'],
	['429', 429, 'failed', 'failed', 'failed'],
	['500', 500, 'failed', 'failed', 'failed'],
	['503', 503, 'failed', 'failed', 'failed'],
	['no response', null, 'failed', 'failed', 'failed'],
])('%s', async (_, status, marked, unmarked, external) => {
	const results = [
		await forward(incoming(), to('workflow'), helper(status, MARK).options),
		await forward(incoming(), to('workflow'), helper(status).options),
		await forward(incoming(), to('external'), helper(status).options),
	];
	expect(results).toEqual([marked, unmarked, external]);
	expect(await forward(incoming(), to('test'), helper(status, MARK).options)).toBe(marked);
});

test('another system gets the bytes and the headers of the service, and nothing else', async () => {
	const { requests, options } = helper(200);
	const other = {
		host: 'hub',
		cookie: 'a=1',
		authorization: 'x',
		'content-length': '1',
		'x-forwarded-for': '::1',
		'user-agent-hint': 'x',
	};
	const unusual = { 'x-service-new': 'new', 'x-service-list': ['a', 'b'], 'my-x-service-x': 'x' };
	await forward(incoming({ ...other, ...unusual }), to('external'), options);
	expect(requests).toEqual([
		{
			method: 'POST',
			url: to('external').url,
			body: Buffer.from(BODY),
			headers: {
				...delivery(BODY).headers,
				'user-agent': 'Service-Webhook/1.0',
				'x-service-new': 'new',
			},
			timeout: 1_000,
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
		},
	]);
});

test('another system gets JSON also when the service does not name it', async () => {
	const { requests, options } = helper(200);
	await forward(incoming({ 'content-type': undefined }), to('external'), options);
	expect(requests[0]?.headers?.['content-type']).toBe('application/json');
});

test.each(['workflow', 'test'] as const)('a %s is told that the event was forwarded', async (kind) => {
	const { requests, options } = helper(200);
	await forward(incoming(), to(kind), options);
	const header = requests[0]?.headers?.[REQUEST_HEADER];
	expect(requestKind(header, Buffer.from(BODY), SECRET, NOW)).toBe('event');
});

test('a request between triggers is signed, and says whether a trigger responded', async () => {
	const { requests, options } = helper(401, MARK);
	const url = to('workflow').url;
	expect(await sendInternal('probe', url, { url: 'x' }, options)).toEqual({
		statusCode: 401,
		body: {},
		isFromTrigger: true,
	});
	const { headers = {}, body } = requests[0] ?? {};
	expect(headers['content-type']).toBe('application/json');
	expect(body).toEqual(Buffer.from('{"url":"x"}'));
	expect(requestKind(headers[REQUEST_HEADER], body as Buffer, SECRET, NOW)).toBe('probe');

	expect(await sendInternal('reach', url, {}, helper(200).options)).toMatchObject({ isFromTrigger: false });
	expect(await sendInternal('reach', url, {}, helper(null).options)).toBeUndefined();
});
