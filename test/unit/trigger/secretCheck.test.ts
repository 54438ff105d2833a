import type { Client } from '../../../nodes/MessagingChannel/api/client';
import type { Finding, Rejection } from '../../../nodes/MessagingChannel/trigger/delivery';
import {
	checkSecret,
	checkUnderWay,
	isSample,
	reportCheck,
} from '../../../nodes/MessagingChannel/trigger/secretCheck';

const wish = {
	url: 'https://n8n.example.com/webhook/1/webhook',
	tail: '1/webhook',
	isTest: false,
	replace: false,
	events: ['message.received'],
	timeoutSeconds: 30,
};

const genuine = (id: string): Finding => ({
	outcome: 'genuine',
	event: { id, type: 'message.received', body: {}, keys: [] },
	deliveredAt: '2030-01-31T09:00:00.000Z',
});

const rejected = (error: Rejection['error']): Finding => ({
	outcome: 'rejected',
	status: 401,
	error,
	reason: 'it is not',
});
const unsigned = rejected('invalid_signature');

/** Checks with a service that delivers these findings to the check's address; returns the urls that were set. */
async function checked(...findings: Finding[]) {
	const urls: string[] = [];
	const wordIn = (url = '') => new URL(url).searchParams.get('check');
	const client: Pick<Client, 'call'> = {
		call: async ({ call, parameters }) => {
			if (call.path === '/webhooks') urls.push(String(parameters?.url));
			else {
				for (const finding of findings) {
					const check = checkUnderWay(wordIn(urls[0]), Date.now());
					if (!check?.isOwn) throw new Error('The check is not under way in this process');
					reportCheck(check, finding);
				}
			}
			return {};
		},
	};
	const result = await checkSecret(client as Client, wish);
	return { result, urls, word: wordIn(urls[0]) };
}

test('a genuine sample shows that the secret is right, and the webhook ends as wished', async () => {
	const { result, urls } = await checked(genuine('sample-1'));
	expect(result).toBe('right');
	expect(urls).toEqual([expect.stringMatching(/\?check=\d{13}-/), wish.url]);
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

test('what comes beside a genuine sample changes nothing', async () => {
	expect((await checked(genuine('sample-0'), unsigned, rejected('stale_timestamp'))).result).toBe('right');
	expect((await checked(unsigned, genuine('sample-00'))).result).toBe('right');
});

test('a sample that does not come in three seconds shows nothing, and the webhook ends as wished', async () => {
	jest.useFakeTimers();
	const ended = jest.fn();
	void checked(rejected('invalid_body')).then(ended);
	await jest.advanceTimersByTimeAsync(2_999);
	expect(ended).not.toHaveBeenCalled();
	await jest.advanceTimersByTimeAsync(1);
	jest.useRealTimers();
	expect(ended).toHaveBeenCalledWith({
		result: 'unknown',
		urls: [expect.stringContaining('?check='), wish.url],
		word: expect.any(String),
	});
});

test('a hundred checks are remembered, and then the oldest is forgotten', async () => {
	await checked(genuine('oldest'));
	for (let count = 1; count < 100; count++) await checked(genuine(`later-${count}`));
	expect(isSample('oldest')).toBe(true);
	await checked(genuine('one-more'));
	expect(isSample('oldest')).toBe(false);
	expect(isSample('later-1')).toBe(true);
});

test('the sample is known when it is delivered again', async () => {
	await checked(genuine('sample-2'));
	expect(isSample('sample-2')).toBe(true);
	expect(isSample('another')).toBe(false);
});

test('an event beside the sample is not taken for it', async () => {
	await checked(genuine('sample-3'), genuine('event-3'));
	expect(isSample('sample-3')).toBe(false);
	expect(isSample('event-3')).toBe(false);
});

test('an ended check refuses nothing any more', async () => {
	const { word } = await checked(genuine('sample-4'));
	expect(checkUnderWay(word, Date.now())).toBeUndefined();
});

describe('a check that another process began', () => {
	const uuid = '3f2b8c1e-5d4a-4b6f-9a7e-1c2d3e4f5a6b';
	const begunAt = 1_900_000_000_000;

	test('is under way for three seconds, and its sample is known afterwards', () => {
		const check = checkUnderWay(`${begunAt}-${uuid}`, begunAt + 2_000);
		expect(check).toMatchObject({ isOwn: false });
		if (check) reportCheck(check, genuine('sample-5'));
		expect(isSample('sample-5')).toBe(true);
		expect(checkUnderWay(`${begunAt}-${uuid}`, begunAt + 3_001)).toBeUndefined();
	});

	test('is under way to the last moment', () => {
		expect(checkUnderWay(`${begunAt}-${uuid}`, begunAt + 3_000)).toBeDefined();
	});

	test('is remembered only for what was genuine, and with all that was', () => {
		const report = (...findings: Finding[]) => {
			for (const finding of findings) {
				const check = checkUnderWay(`${begunAt + 7}-${uuid}`, begunAt + 7);
				if (check) reportCheck(check, finding);
			}
		};
		report(unsigned, genuine('sample-6'));
		expect(isSample('sample-6')).toBe(true);
		report(genuine('event-6'));
		expect(isSample('sample-6')).toBe(false);
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
		expect(checkUnderWay(word, begunAt)).toBeUndefined();
	});
});
