import type { IDataObject } from 'n8n-workflow';

import { unverifiedReport } from '../../../../nodes/MessagingChannel/trigger/delivery/reports';
import { newCheckToken } from '../../../../nodes/MessagingChannel/webhook/checkUrl';
import { secretDigestOf } from '../../../../nodes/MessagingChannel/webhook/sharingKey';
import { SECONDS, SECRET } from '../deliveries';
import { message, MINUTE, OTHER, settled, SHARED, useReceiver, type Request } from './receiver';

const { newTrigger, from, now, pass } = useReceiver();

describe('a delivery', () => {
	test('in a form is refused, and the log says why', async () => {
		const { get, executions, log } = newTrigger();
		const response = await get({ headers: { 'content-type': 'Multipart/mixed' } });
		expect(response).toMatchObject({ status: 415, body: { error: 'unsupported_media_type' } });
		expect(executions).toEqual([]);
		expect(log).toEqual([
			'Listens in workflow workflow: A delivery was rejected: its content type is not JSON',
		]);
	});

	test('is made again when the credential cannot be read, and the log says so', async () => {
		const { get, executions, credential, log } = newTrigger();
		credential.mockRejectedValueOnce(new Error('Credentials not found'));
		expect(await get()).toMatchObject({ status: 503, body: { error: 'not_accepted' } });
		expect(log).toEqual([
			'Listens in workflow workflow: A delivery could not be verified because the credential could not be read',
		]);
		expect(await get()).toMatchObject({ status: 200 });
		expect(executions).toHaveLength(1);
	});

	test('is verified with the secret that the credential has by now, which is read once', async () => {
		const { get, executions, credential } = newTrigger();
		credential.mockResolvedValueOnce({ signingSecret: 'before the rotation' });
		expect((await get()).status).toBe(200);
		expect((await get()).status).toBe(200);
		expect(executions).toHaveLength(2);
		expect(credential).toHaveBeenCalledTimes(2);
	});

	test('that cannot be verified has the credential read only if another secret may fit', async () => {
		const { get, credential } = newTrigger();
		await get();
		for (const signature of [undefined, 'short'])
			expect((await get({ headers: { 'x-service-signature': signature } })).status).toBe(401);
		expect(credential).toHaveBeenCalledTimes(1);
		await get({ headers: { 'x-service-signature': '0'.repeat(64) } });
		expect(credential).toHaveBeenCalledTimes(2);
	});
});

test('while another process checks a secret, an event is refused for the time being', async () => {
	const { get, executions } = newTrigger();

	expect(await get({ query: { check: newCheckToken(now()) } })).toMatchObject({
		status: 503,
		body: { error: 'not_active_yet' },
	});

	expect(executions).toEqual([]);
	expect(await get({ query: { check: newCheckToken(now() - MINUTE) } })).toMatchObject({ status: 200 });
});

describe('a request of another trigger', () => {
	test('is responded to, and has the credential read once', async () => {
		const { get, executions, credential } = newTrigger();
		expect(await get(from('reach', {}))).toEqual({
			status: 200,
			body: {},
			headers: { 'x-messaging-channel-trigger': '1' },
		});
		expect(executions).toEqual([]);
		expect(credential).toHaveBeenCalledTimes(1);
	});

	test('is verified with the secret that the credential has by now', async () => {
		const { get, credential } = newTrigger();
		credential.mockResolvedValueOnce({ signingSecret: 'before the rotation' });
		const { body, headers } = from('reach', {});
		const request = { body, headers: { ...headers, 'x-service-signature': undefined } };
		expect(await get(request)).toMatchObject({ status: 200, body: {} });
	});

	test.each([
		['with another secret', 'guessed', { 'x-service-signature': undefined }, 401],
		['in a form, of which nothing can be verified', SECRET, { 'content-type': 'multipart/form-data' }, 415],
	])('is none %s', async (_, secret, more, status) => {
		const { get, executions } = newTrigger();
		const { body, headers } = from('reach', {}, secret);
		expect(await get({ body, headers: { ...headers, ...more } })).toMatchObject({ status });
		expect(executions).toEqual([]);
	});

	test.each([
		[{ status: 200, isTrigger: true }, true],
		[{ status: 200 }, false],
		[{ status: 410, isTrigger: true }, false],
		[undefined, false],
	])('that asks whether a workflow that responds %j can be reached is told %s', async (answer, reached) => {
		const isProven = reached;
		const kept = isProven ? { secretDigest: secretDigestOf(SECRET) } : {};
		const { get } = newTrigger({ kept, answer: () => answer });
		expect((await get(from('probe', { url: OTHER.url }))).body).toEqual({ reached, isProven });
	});

	test('is told that its secret is right once an event has shown that', async () => {
		const { get } = newTrigger({ kept: { accountId: 'account-1' } });
		const probe = from('probe', { url: OTHER.url });
		expect((await get(probe)).body).toMatchObject({ isProven: false });
		await get();
		expect((await get(probe)).body).toMatchObject({ isProven: true });
	});

	test.each(['probe', 'instance', 'status'] as const)(
		'that asks %s of nothing is told nothing',
		async (kind) => {
			expect((await newTrigger().get(from(kind, {}))).body).toEqual({});
		},
	);

	const report = { message: 'An event is refused', description: 'Publish the workflow.' };

	test.each<[Parameters<typeof from>[0], unknown, IDataObject[][]]>([
		['probe', ['reached', 'isProven'], []],
		['instance', ['instance'], []],
		['status', expect.arrayContaining(['deliveries', 'isProven']), []],
		['reach', [], []],
		['report', [], [[{ report }]]],
	])(
		'of the kind %s is told no more than it asks, and only a report starts an execution',
		async (kind, told, started) => {
			const { get, executions } = newTrigger();
			const { body } = await get(from(kind, { url: OTHER.url, nonce: 'nonce', report }));
			expect([Object.keys(body as object), executions]).toEqual([told, started]);
		},
	);

	test('counts as one that forwards an event also with a mark that was made before a rotation', async () => {
		const { get, asked, credential } = newTrigger();
		credential.mockResolvedValueOnce({ signingSecret: 'before the rotation' });
		await get({ ...from('event', message(), 'before the rotation'), query: SHARED });
		expect(asked).toEqual([]);
	});

	test('does not count as one that forwards an event with a mark that somebody else made', async () => {
		const { get, asked } = newTrigger();

		void get({ ...from('event', message(), 'guessed'), query: SHARED });
		await settled();
		expect(asked).toEqual(['event https://n8n.example.com/webhook/other/webhook']);
	});
});

describe('deliveries that look like the service and cannot be verified', () => {
	const forged = { 'x-service-signature': '0'.repeat(64) };

	test('start one execution when n8n cannot read the credential any more, with the time of the first', async () => {
		const { get, executions, credential } = newTrigger();
		credential.mockRejectedValue(new Error('It does not exist'));
		const report = unverifiedReport(now(), 'credential');
		for (let count = 0; count < 20; count++, pass(1_000)) expect(await get()).toMatchObject({ status: 503 });
		expect(executions).toEqual([[{ report }]]);
	});

	test('start none when n8n can read the credential in between', async () => {
		const { get, executions, credential } = newTrigger();
		for (let count = 1; count < 9; count++) {
			if (count !== 5) credential.mockRejectedValueOnce(new Error('The database is busy'));
			expect(await get()).toMatchObject({ status: count === 5 ? 200 : 503 });
			pass(61_000);
		}
		expect(executions).toHaveLength(1);
		expect(executions[0]?.[0]).not.toHaveProperty('report');
	});

	test('start none when one of them can be verified', async () => {
		const { get, executions, credential } = newTrigger();
		const verified = { body: message({ event: 'message.status' }) };
		for (let count = 1; count < 9; count++) await get(count === 5 ? verified : { headers: forged });
		// Other failures count apart.
		credential.mockRejectedValue(new Error('It does not exist'));
		pass(MINUTE);
		for (let count = 1; count < 5; count++) expect(await get()).toMatchObject({ status: 503 });
		expect(executions).toEqual([]);
	});

	test.each<[string, Request, IDataObject]>([
		['they are stale', { headers: { 'x-service-timestamp': String(SECONDS) } }, {}],
		['only their content type is wrong', { headers: { 'content-type': 'text/plain' } }, {}],
		['they name another account', { headers: forged }, { accountId: 'account-2' }],
		['they come to a test', { headers: forged, mode: 'manual' }, {}],
	])('start none when %s', async (_, request, kept) => {
		const { get, executions } = newTrigger({ kept });
		for (let count = 1; count <= 5; count++) expect((await get(request)).status).toBeGreaterThan(400);
		expect(executions).toEqual([]);
	});
});
