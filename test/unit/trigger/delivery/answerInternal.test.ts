import type { IDataObject, IHttpRequestOptions, IWebhookFunctions } from 'n8n-workflow';

import { answerInternal } from '../../../../nodes/MessagingChannel/trigger/delivery/answerInternal';
import { secretChecks } from '../../../../nodes/MessagingChannel/trigger/delivery/state';
import {
	REQUEST_HEADER,
	RESPONSE_HEADER,
} from '../../../../nodes/MessagingChannel/trigger/sharing/internalRequest';
import { secretDigestOf } from '../../../../nodes/MessagingChannel/webhook/sharingKey';
import { SECRET } from '../deliveries';

const URL = 'https://n8n.example.com/webhook/joins/webhook';
const PROBLEM = { receiver: URL, problem: 'fails', since: '2030-01-31T09:00:00.000Z' };

/** A hub that is asked, and the requests that it makes. Whoever is at the URL responds with this status, or not at all. */
function hub({
	status,
	isTrigger = true,
	kept = {},
}: { status?: number; isTrigger?: boolean; kept?: IDataObject } = {}) {
	const asked: string[] = [];
	const context = {
		getWorkflowStaticData: () => kept,
		helpers: {
			httpRequest: async ({ url, headers, timeout }: IHttpRequestOptions) => {
				asked.push(`${String(headers?.[REQUEST_HEADER]).split('.')[0]} ${url} ${timeout}`);
				if (status === undefined) throw new Error('There was no response');
				const marks = isTrigger ? { [RESPONSE_HEADER]: '1' } : {};
				return await Promise.resolve({ statusCode: status, headers: marks, body: {} });
			},
		},
	} as unknown as IWebhookFunctions;
	const ask = async (kind: 'probe' | 'reach' | 'report', body: unknown) =>
		await answerInternal(context, kind, Buffer.from(JSON.stringify(body)), SECRET);
	return { context, asked, ask };
}

test.each([
	['a trigger responds 200', { status: 200 }, true],
	['a trigger refuses the request', { status: 401 }, false],
	['an n8n that starts responds 200', { status: 200, isTrigger: false }, false],
	['nothing responds', {}, false],
])('a hub says of a URL at which %s: %j', async (_, at, reached) => {
	const { ask, asked } = hub(at);
	expect(await ask('probe', { url: URL })).toEqual({ body: { reached, isProven: false } });
	expect(asked).toEqual([`reach ${URL} 5000`]);
});

test('a hub says that the secret is right if the service has shown it, at activation or since', async () => {
	const proven = async (kept: IDataObject) => (await hub({ kept }).ask('probe', { url: URL })).body;
	expect(await proven({ secretDigest: secretDigestOf('another') })).toMatchObject({ isProven: false });
	expect(await proven({ secretDigest: secretDigestOf(SECRET) })).toMatchObject({ isProven: true });

	secretChecks.noteVerified({ body: { account_id: 'account-7' } }, SECRET, Date.now());
	expect(await proven({ accountId: 'account-7' })).toMatchObject({ isProven: true });
	expect(await proven({ accountId: 'account-8' })).toMatchObject({ isProven: false });
});

test.each<['probe' | 'reach' | 'report', unknown]>([
	['probe', {}],
	['probe', { url: '' }],
	['probe', null],
	['reach', { url: URL }],
	['reach', PROBLEM],
	['report', { url: URL }],
	['report', {}],
	['report', null],
])('a %s of %j asks nobody, and starts no execution', async (kind, body) => {
	const { ask, asked } = hub({ status: 200 });
	expect(await ask(kind, body)).toEqual({ body: {} });
	expect(asked).toEqual([]);
});

test('a request that is not JSON asks nobody, and starts no execution', async () => {
	const { context, asked } = hub({ status: 200 });
	expect(await answerInternal(context, 'probe', Buffer.from('{'), SECRET)).toEqual({ body: {} });
	expect(asked).toEqual([]);
});

test('a problem that is reported is shown in an execution', async () => {
	const { ask, asked } = hub();
	expect(await ask('report', PROBLEM)).toEqual({ body: {}, failure: { json: PROBLEM } });
	expect(asked).toEqual([]);
});
