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

const accessOf = (client: Client) => ({ client, account: accountAt('account'), secret: 'secret' });

const verified = (id: string): Verification => ({
	verified: true,
	event: eventWith('message.received', {}, id),
	deliveredAt: '2030-01-31T09:00:00.000Z',
	rawBody: Buffer.from('{}'),
});

const rejected = (error: Rejection['error']): Verification => ({
	verified: false,
	status: 401,
	error,
	reason: 'it is not',
});
const unsigned = rejected('invalid_signature');

/** Checks with a service that delivers these verifications to the check's address; returns the urls that were set. */
async function checked(...verifications: Verification[]) {
	return await checkedWith({}, verifications);
}

/** The same with a service that answers this when it is asked for the sample. */
async function checkedWith(answer: ResponseBody | Error, verifications: Verification[]) {
	const urls: string[] = [];
	const wordIn = (url = '') => new URL(url).searchParams.get('check');
	const client: Pick<Client, 'call'> = {
		call: async ({ endpoint, parameters }) => {
			if (endpoint.path === '/webhooks') {
				urls.push(String(parameters?.url));
				return {};
			}
			for (const verification of verifications) {
				const check = secretChecks.open(wordIn(urls[0]), Date.now());
				if (check?.secret !== 'secret') throw new Error('The check is not under way in this process');
				check.report(verification);
				// Each comes by itself; what waits for the first goes on.
				await Promise.resolve().then(() => undefined);
			}
			return answer instanceof Error ? await Promise.reject(answer) : answer;
		},
	};
	const found = await checkSecret(accessOf(client as Client), webhook);
	return { ...found, urls, word: wordIn(urls[0]) };
}

test('a verified sample shows that the secret is right, and the webhook ends as configured', async () => {
	const { result, urls } = await checked(verified('sample-1'));
	expect(result).toBe('right');
	expect(urls).toEqual([expect.stringMatching(/\?check=\d{13}-/), webhook.url]);
});

test('an unsigned sample shows that it is wrong', async () => {
	const { result, urls } = await checked(unsigned);
	expect(result).toBe('wrong');
	expect(urls).toHaveLength(1);
});

test('an old sample shows that the clocks are apart', async () => {
	const { result, urls } = await checked(rejected('stale_timestamp'));
	expect(result).toBe('stale');
	expect(urls).toHaveLength(1);
});

test('other deliveries beside a verified sample change nothing', async () => {
	expect((await checked(verified('sample-0'), unsigned, rejected('stale_timestamp'))).result).toBe('right');
	expect((await checked(unsigned, verified('sample-00'))).result).toBe('right');
});

test('a verified sample after another delivery sets the own webhook', async () => {
	const { result, urls } = await checked(unsigned, verified('sample-000'));
	expect([result, urls.at(-1)]).toEqual(['right', webhook.url]);
});

test('without a sample in three seconds the result is open, and the webhook ends as configured', async () => {
	jest.useFakeTimers();
	const ended = jest.fn();
	void checked(rejected('invalid_body')).then(ended);
	await jest.advanceTimersByTimeAsync(2_999);
	expect(ended).not.toHaveBeenCalled();
	await jest.advanceTimersByTimeAsync(1);
	jest.useRealTimers();
	expect(ended).toHaveBeenCalledWith({
		result: 'unknown',
		rejection: 'it is not',
		urls: [expect.stringContaining('?check='), webhook.url],
		word: expect.any(String),
	});
});

const failure = (httpStatus: number | null) =>
	new ApiError({ message: '', description: '', code: 'internal_error', httpStatus });

describe('a sample whose call ended with', () => {
	beforeEach(() => void jest.useFakeTimers());
	afterEach(() => void jest.useRealTimers());

	test.each([400, 404, 500])('%i is not waited for', async (status) => {
		expect(await checkedWith(failure(status), [])).toMatchObject({
			result: 'unknown',
			urls: [expect.stringContaining('?check='), webhook.url],
		});
	});

	test('429 is not made again, and events come at once although the webhook waits for the rate limit', async () => {
		const calls: unknown[] = [];
		const call: Client['call'] = async ({ endpoint, parameters, limits }) => {
			if (endpoint.path !== '/webhooks') throw failure(limits?.maxRateLimitWait === 0 ? 429 : null);
			calls.push(parameters?.url);
			const token = new URL(String(calls[0])).searchParams.get('check');
			expect(secretChecks.open(token, Date.now())).toEqual(
				calls.length === 1 ? expect.anything() : undefined,
			);
			return await Promise.resolve({});
		};
		expect(await checkSecret(accessOf({ call } as Client), webhook)).toEqual({ result: 'unknown' });
		expect(calls).toHaveLength(2);
	});

	test.each([null, 200])('%s, which leaves it in doubt, may still come', async (status) => {
		const ended = jest.fn();
		void checkedWith(failure(status), []).then(ended);
		await jest.advanceTimersByTimeAsync(2_999);
		expect(ended).not.toHaveBeenCalled();
		await jest.advanceTimersByTimeAsync(1);
		expect(ended).toHaveBeenCalled();
	});
});

test('a service that does not respond to the request for its sample holds up no events for minutes', async () => {
	jest.useFakeTimers();
	const ended = jest.fn();
	const call: Client['call'] = async ({ endpoint }) =>
		await (endpoint.path === '/webhooks' ? Promise.resolve({}) : new Promise(() => undefined));
	void checkSecret(accessOf({ call } as Client), webhook).then(ended);
	await jest.advanceTimersByTimeAsync(15_000);
	jest.useRealTimers();
	expect(ended).toHaveBeenCalledWith({ result: 'unknown' });
});

test('a sample that the service names too late starts nothing when it is delivered again', async () => {
	jest.useFakeTimers();
	const answer = { data: { event_id: 'late' } };
	const call: Client['call'] = async ({ endpoint }) =>
		await (endpoint.path === '/webhooks'
			? Promise.resolve({})
			: new Promise((resolve) => setTimeout(resolve, 20_000, answer)));
	void checkSecret(accessOf({ call } as Client), webhook);
	await jest.advanceTimersByTimeAsync(20_000);
	jest.useRealTimers();
	expect(secretChecks.isSample('late')).toBe(true);
});

test('a delivery that arrives while the webhook is set counts too', async () => {
	const urls: string[] = [];
	const call: Client['call'] = async ({ endpoint, parameters }) => {
		if (endpoint.path !== '/webhooks') throw failure(404);
		urls.push(String(parameters?.url));
		const token = new URL(urls[0] ?? '').searchParams.get('check');
		if (urls.length === 2) secretChecks.open(token, Date.now())?.report(unsigned);
		return await Promise.resolve({});
	};
	expect((await checkSecret(accessOf({ call } as Client), webhook)).result).toBe('wrong');
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
	expect((await checkedWith(answer, [verified('event-1')])).sampleId).toBe(sampleId);
});

test('a check that has ended rejects nothing', async () => {
	const { word } = await checked(verified('sample-4'));
	expect(secretChecks.open(word, Date.now())).toBeUndefined();
});

test('a check whose URL could not be set, as far as this process knows, refuses no events', async () => {
	let url = '';
	const call: Client['call'] = async ({ parameters }) => {
		url = String(parameters?.url);
		return await Promise.reject(failure(null));
	};
	await expect(checkSecret(accessOf({ call } as Client), webhook)).rejects.toThrow(ApiError);
	const token = new URL(url).searchParams.get('check');
	expect(token).toMatch(/^\d{13}-/);
	expect(secretChecks.open(token, Date.now())).toBeUndefined();
});

describe('a check that another process began', () => {
	const uuid = '3f2b8c1e-5d4a-4b6f-9a7e-1c2d3e4f5a6b';
	const begunAt = 1_900_000_000_000;

	test('runs for three seconds', () => {
		expect(secretChecks.open(`${begunAt}-${uuid}`, begunAt + 2_000)).toEqual({
			report: expect.any(Function),
		});
		expect(secretChecks.open(`${begunAt}-${uuid}`, begunAt + 3_001)).toBeUndefined();
	});

	test('runs to the last moment', () => {
		expect(secretChecks.open(`${begunAt}-${uuid}`, begunAt + 3_000)).toBeDefined();
	});

	test.each([
		undefined,
		'',
		'word',
		`${begunAt}`,
		`${begunAt}-x`,
		`1${begunAt}-${uuid}`,
		`${begunAt}-${uuid}0`,
		`${begunAt}-${uuid.replaceAll('a', 'g')}`,
		[`${begunAt}-${uuid}`],
	])('is not what %j names', (word) => {
		expect(secretChecks.open(word, begunAt)).toBeUndefined();
	});
});
