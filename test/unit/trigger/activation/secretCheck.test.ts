import { randomUUID } from 'crypto';

import { eventWith } from '../deliveries';
import type { Client } from '../../../../nodes/MessagingChannel/api/client';
import type { ResponseBody } from '../../../../nodes/MessagingChannel/api/values';
import { ApiError } from '../../../../nodes/MessagingChannel/api/errors';
import type { Verification, Rejection } from '../../../../nodes/MessagingChannel/trigger/delivery/verify';
import { checkSecret } from '../../../../nodes/MessagingChannel/trigger/activation/secretCheck';
import { accountAt } from '../../../../nodes/MessagingChannel/trigger/account/account';
import { secretChecks } from '../../../../nodes/MessagingChannel/trigger/delivery/state';

const webhook = {
	url: 'https://n8n.example.com/webhook/1/webhook',
	events: ['message.received'],
	timeoutSeconds: 30,
};
const CHECK_URL = expect.stringMatching(/^https:\/\/n8n\.example\.com\/webhook\/1\/webhook\?check=\d{13}-/);

const verified = (id: string): Verification => ({
	verified: true,
	event: eventWith('message.received', {}, id),
	deliveredAt: '2030-01-31T09:00:00.000Z',
	rawBody: Buffer.from('{}'),
});
const rejected = (error: Rejection['error']): Rejection => ({
	verified: false,
	status: 401,
	error,
	reason: 'it is not',
});
const [unsigned, stale] = [rejected('invalid_signature'), rejected('stale_timestamp')];
const wrong: Verification = { ...unsigned, maybeOtherSecret: true };

const failure = (httpStatus: number | null) =>
	new ApiError({ message: '', description: '', code: 'internal_error', httpStatus });

type Sending = Pick<Parameters<Client['call']>[0], 'limits'>;

/** Checks with a service that sends its sample like this. */
function checking(send: (sending: Sending) => Promise<ResponseBody>, set: () => unknown = () => {}) {
	/** The URLs that were set. */
	const urls: string[] = [];
	const call: Client['call'] = async ({ endpoint, parameters, limits }) => {
		if (endpoint.path !== '/webhooks') return await send({ limits });
		urls.push(String(parameters?.url));
		await set();
		return {};
	};
	/** The check that a delivery to its URL belongs to. */
	const open = () => secretChecks.open(new URL(urls[0] ?? '').searchParams.get('check'), Date.now());
	const access = { client: { call } as Client, account: accountAt('account'), secret: 'secret' };
	return { urls, open, check: async () => await checkSecret(access, webhook) };
}

/** Checks with a service that delivers these verifications to the check's URL, and then responds. */
async function checked(verifications: Verification[], answer: ResponseBody | Error = {}) {
	const { urls, open, check } = checking(async () => {
		for (const verification of verifications) {
			expect(open()?.secret).toBe('secret');
			open()?.report(verification);
			// Each comes by itself; what waits for the first goes on.
			await Promise.resolve().then(() => undefined);
		}
		return answer instanceof Error ? await Promise.reject(answer) : answer;
	});
	return { ...(await check()), urls };
}

test.each<[string, string, Verification[], boolean]>([
	['a verified sample', 'right', [verified('1')], true],
	['a sample with another signature', 'wrong', [wrong], false],
	['an unsigned sample', 'unsigned', [unsigned], false],
	['an old sample', 'stale', [stale], false],
	['a verified sample before others', 'right', [verified('2'), wrong, stale], true],
	['a verified sample after another delivery', 'right', [wrong, verified('3')], true],
])('%s shows that the secret is %s', async (_, result, verifications, isReset) => {
	const found = await checked(verifications);
	expect(found.result).toBe(result);
	expect(found.urls).toEqual([CHECK_URL, ...(isReset ? [webhook.url] : [])]);
});

test('a delivery that arrives while the webhook is set counts too', async () => {
	const { urls, open, check } = checking(
		async () => await Promise.reject(failure(404)),
		() => urls.length === 2 && open()?.report(wrong),
	);
	expect((await check()).result).toBe('wrong');
});

test.each<[ResponseBody | Error, string | undefined]>([
	[{ success: true, data: { event_id: 'sample-1' } }, 'sample-1'],
	[{ success: true, event_id: 'sample-1' }, 'sample-1'],
	[{ success: true, data: { delivered: true } }, undefined],
	[{ success: true, data: { event_id: 1 } }, '1'],
	[{ success: true, data: { event_id: null } }, undefined],
	[{ success: true, data: [] }, undefined],
	[{}, undefined],
	[failure(404), undefined],
])('of the answer %j, the sample is %s', async (answer, sampleId) => {
	expect((await checked([verified('event-1')], answer)).sampleId).toBe(sampleId);
});

describe('without a sample', () => {
	beforeEach(() => void jest.useFakeTimers());
	afterEach(() => void jest.useRealTimers());

	test.each<[string, Verification[], ResponseBody | Error]>([
		['after a response', [], {}],
		['after another delivery, whose rejection is told', [rejected('invalid_body')], {}],
		['after a call that ended with 200, which leaves it in doubt', [], failure(200)],
		['after a call that ended without a response', [], failure(null)],
	])('%s, it is waited for for three seconds, and the webhook ends as configured', async (_, ...sent) => {
		const ended = jest.fn();
		void checked(...sent).then(ended);
		await jest.advanceTimersByTimeAsync(2_999);
		expect(ended).not.toHaveBeenCalled();
		await jest.advanceTimersByTimeAsync(1);
		expect(ended).toHaveBeenCalledWith({
			result: 'unknown',
			rejection: sent[0].length > 0 ? 'it is not' : undefined,
			urls: [CHECK_URL, webhook.url],
		});
	});

	test.each([400, 404, 500])('a call that ended with %i is not waited for', async (status) => {
		expect(await checked([], failure(status))).toMatchObject({
			result: 'unknown',
			urls: [CHECK_URL, webhook.url],
		});
	});

	test('429 is not made again, and events come at once although the webhook waits for the rate limit', async () => {
		const { urls, open, check } = checking(
			async ({ limits }) => await Promise.reject(failure(limits?.maxRateLimitWait === 0 ? 429 : null)),
			() => expect(open() !== undefined).toBe(urls.length === 1),
		);
		expect(await check()).toEqual({ result: 'unknown' });
		expect(urls).toHaveLength(2);
	});

	test('a service that does not respond holds up no events for minutes', async () => {
		const ended = jest.fn();
		void checking(async () => await new Promise(() => undefined))
			.check()
			.then(ended);
		await jest.advanceTimersByTimeAsync(15_000);
		expect(ended).toHaveBeenCalledWith({ result: 'unknown' });
	});

	test('one that the service names too late starts nothing when it is delivered again', async () => {
		const id = randomUUID();
		const answer = { data: { event_id: id } };
		void checking(async () => await new Promise((resolve) => setTimeout(resolve, 20_000, answer))).check();
		await jest.advanceTimersByTimeAsync(20_000);
		expect(secretChecks.isSample(id)).toBe(true);
	});
});

test('a check whose URL could not be set, as far as this process knows, refuses no events', async () => {
	const { urls, open, check } = checking(
		async () => await Promise.resolve({}),
		async () => await Promise.reject(failure(null)),
	);
	await expect(check()).rejects.toThrow(ApiError);
	expect([urls, open()]).toEqual([[CHECK_URL], undefined]);
});
