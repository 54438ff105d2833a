import type { IExecuteFunctions, IN8nHttpFullResponse, ITriggerFunctions } from 'n8n-workflow';

import type { ApiRequest } from '../../../nodes/MessagingChannel/api/apiRequest';
import {
	allowedRecipientsIn,
	connect,
	connectInBackground,
	connectItems,
	CREDENTIAL,
	logsLongWaits,
	problemOfAllowed,
	type Caller,
} from '../../../nodes/MessagingChannel/n8n/connect';
import { virtualClock } from '../../support/engine/clock';
import { answer } from '../api/scripted';

const request: ApiRequest = {
	endpoint: { method: 'GET', path: '/account', permission: 'valid key' },
	limits: { maxAttempts: 1, maxRateLimitWait: 0 },
};

const success = answer(200, { success: true });

/** A response that tells that so many of 10 requests are left for a minute. */
const remaining = (requests: number) =>
	answer(
		200,
		{ success: true },
		{
			'x-ratelimit-limit': '10',
			'x-ratelimit-remaining': String(requests),
			'x-ratelimit-reset': String(Math.floor(Date.now() / 1000) + 60),
		},
	);

const emptyWindow = () => remaining(0);

// Time stands still: what was heard of a window holds for some seconds only.
beforeEach(() => void jest.spyOn(Date, 'now').mockReturnValue(Date.UTC(2030, 0, 31, 9)));
afterEach(() => jest.restoreAllMocks());

/** An account of its own for each test, because a process remembers them. */
let accounts = 0;
const newAccount = () => ({ baseUrl: 'https://service.example.com', apiKey: `secret-key-${++accounts}` });

/** A place in n8n with this credential, where the service gives this answer. */
function callerWith(credential: object, response: IN8nHttpFullResponse, more: object = {}) {
	const sent: unknown[][] = [];
	const caller = {
		getCredentials: async (type: string) => await Promise.resolve(type === CREDENTIAL ? credential : {}),
		helpers: {
			httpRequestWithAuthentication: async function (this: unknown, ...given: unknown[]) {
				sent.push([this, ...given]);
				return await Promise.resolve(response);
			},
		},
		...more,
	};
	return { caller: caller as unknown as Caller, sent };
}

const execution = { getInputData: () => [] };
const editor = {};

const callFrom = async (caller: Caller) => (await connect(caller, virtualClock())).call(request);

describe('of an account whose rate window is empty', () => {
	async function emptied() {
		const account = newAccount();
		await callFrom(callerWith(account, emptyWindow(), execution).caller);
		return account;
	}

	test('other executions know', async () => {
		const { caller, sent } = callerWith(await emptied(), success, execution);
		await expect(callFrom(caller)).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
		expect(sent).toEqual([]);
	});

	test.each([
		['executions with another key', { apiKey: 'another-key' }, execution],
		['executions that call another service', { baseUrl: 'https://other.example.com' }, execution],
		['the editor', {}, editor],
	])('%s know nothing', async (_, other, place) => {
		const { caller } = callerWith({ ...(await emptied()), ...other }, success, place);
		expect(await callFrom(caller)).toEqual({ success: true });
	});
});

test.each([
	['waits', 'less than', 4, 60_000],
	['does not wait', 'more than', 6, 0],
])('a background task %s while executions leave %s half of the rate limit', async (_, __, left, waitedMs) => {
	const account = newAccount();
	await callFrom(callerWith(account, remaining(left), execution).caller);
	const clock = virtualClock();
	const sleep = async (ms: number) => {
		if (clock.skippedMs >= 60_000) throw new Error('Still no room');
		await clock.sleep(ms);
	};
	const { caller, sent } = callerWith(account, success);

	const { client } = await connectInBackground(caller as ITriggerFunctions, { ...clock, sleep });

	expect(await client.call(request)).toEqual({ success: true });
	expect(clock.skippedMs).toBe(waitedMs);
	expect(sent).toHaveLength(1);
});

describe('a credential for several items', () => {
	const account = newAccount();
	/** How two items connect when n8n resolves the credential like this, and how often it did. */
	const connected = async (resolve: (itemIndex: number) => object) => {
		const getCredentials = jest.fn(async (_: string, itemIndex: number) => {
			await Promise.resolve();
			return resolve(itemIndex);
		});
		const connectionOf = await connectItems(
			{ getCredentials } as unknown as IExecuteFunctions,
			virtualClock(),
			2,
		);
		const connections = await Promise.allSettled([0, 1].map(connectionOf));
		return [connections.map(({ status }) => status), getCredentials.mock.calls.length];
	};

	test.each<[string, (itemIndex: number) => object, string[], number]>([
		['does not read the index, it is shared', () => account, ['fulfilled', 'fulfilled'], 1],
		[
			'reads it and goes on, it is not shared',
			(index) => {
				try {
					return `${index}` ? account : {};
				} catch {
					return account;
				}
			},
			['fulfilled', 'fulfilled'],
			3,
		],
		[
			'fails for one item, that one fails alone',
			(index) => {
				if (Number(index) === 1) throw new Error('No such field');
				return account;
			},
			['fulfilled', 'rejected'],
			3,
		],
	])('where n8n %s', async (_, resolve, statuses, times) => {
		expect(await connected(resolve)).toEqual([statuses, times]);
	});
});

test.each(['', ' '])(
	'an error that quotes the key is told without it, also when %j came along',
	async (space) => {
		const account = newAccount();
		const refusal = answer(400, { error: 'validation_error', message: `Key ${account.apiKey} is odd.` });
		const pasted = { ...account, apiKey: account.apiKey + space };
		await expect(callFrom(callerWith(pasted, refusal, execution).caller)).rejects.toMatchObject({
			description: expect.stringContaining('"Key *** is odd."') as string,
		});
	},
);

test.each([
	[4999, []],
	[5000, ['Waiting 5 s for the queue']],
	[5001, ['Waiting 6 s for the queue']],
])('of a wait of %d ms the log has %j', (ms, expected) => {
	const lines: string[] = [];
	const logger = { info: (line: string) => lines.push(line) };
	logsLongWaits({ logger } as unknown as Caller, 'the queue')(ms);
	expect(lines).toEqual(expected);
});

const PROBLEM =
	"'Allowed Recipients' has an entry that is neither a phone number with its country code nor a chat ID: ";

test.each<[data: object, allowed?: string[], problem?: string]>([
	// A credential that is older than the field, and one whose field is empty.
	[{}],
	[{ allowedRecipients: ' \n' }],
	[
		{ allowedRecipients: '+90 555 123 45 67,\n120363025246125486@g.us' },
		['905551234567', '120363025246125486@g.us'],
	],
	// Whatever else is there never allows everybody.
	[{ allowedRecipients: ' , ' }, []],
	[{ allowedRecipients: null }, [], `${PROBLEM}'null'`],
	[{ allowedRecipients: undefined }, [], `${PROBLEM}'null'`],
	[{ allowedRecipients: 905551234567 }, ['905551234567']],
	[{ allowedRecipients: '{{ $json.list }}' }, [], `${PROBLEM}'{{ $json.list }}'`],
	[{ allowedRecipients: '+90 555 123 45 67, Ada' }, ['905551234567'], `${PROBLEM}'Ada'`],
])('a credential with %j allows %j', (...[data, allowed, problem]) => {
	expect(allowedRecipientsIn(data as never)).toEqual(allowed);
	expect(problemOfAllowed(data as never)).toBe(problem);
});
