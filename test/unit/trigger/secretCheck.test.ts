import type { Client } from '../../../nodes/MessagingChannel/api/client';
import type { Finding } from '../../../nodes/MessagingChannel/trigger/delivery';
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

const unsigned: Finding = {
	outcome: 'rejected',
	status: 401,
	error: 'invalid_signature',
	reason: 'it is not',
};

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
					if (!check) throw new Error('The check is not under way');
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
	expect((await checked(unsigned)).result).toBe('wrong');
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

	test.each([undefined, '', 'word', `${begunAt}`, `${begunAt}-x`, ['a']])('is not what %j names', (word) => {
		expect(checkUnderWay(word, begunAt)).toBeUndefined();
	});
});
