import { parseChat, parseMessage } from '../../../nodes/MessagingChannel/api/message';
import type { Client } from '../../../nodes/MessagingChannel/api/client';
import { systemClock } from '../../../nodes/MessagingChannel/api/clock';
import { GET_CHATS } from '../../../nodes/MessagingChannel/api/endpoints';
import { UnreadableField } from '../../../nodes/MessagingChannel/api/unreadable';
import { readRateLimit } from '../../../nodes/MessagingChannel/checkSetup/rateLimit';
import { readService } from '../../../nodes/MessagingChannel/checkSetup/service';
import * as checks from '../../../nodes/MessagingChannel/checkSetup/serviceChecks';
import { expectVerdict, failure, FINE, webhookTo, type Case } from './facts';

const NOT_TRIED = /^Not checked, because another check failed\.$/;
const SOLVE = /^Solve that first\.$/;
const untried = (key: string): Case => [{ [key]: undefined }, 'unknown', NOT_TRIED, SOLVE];
const unread = (key: string): Case => [{ [key]: failure(500) }, 'unknown', /^It failed\.$/, /^Do so\.$/];

const queueOf = (waiting: number | undefined, failed: number | undefined) => ({
	queue: { value: { waiting, failed, unsent: 0, kindOfWaiting: 'a flag' } },
});
const limitOf = (more: object) => ({
	rateLimit: { value: { limit: 100, remaining: 11, resetAt: 1_700_000_000, unreadable: [], ...more } },
});
const accountOf = (value: Record<string, string | number>) => ({ account: { value } });
const clockOf = (clockOffsetMs: number | undefined) => ({ clockOffsetMs });
const LATE = /^Set the clock of the machine.*refused\.$/;
const NEW_YORK = { timezone: 'America/New_York' };

const CASES: Partial<Record<keyof typeof checks, Case[]>> = {
	service: [
		[{}, 'ok', /^service\.example\.com answered in 12 ms\.$/],
		[{ health: { value: 5_000 } }, 'ok', /answered in 5000 ms/],
		[{ health: { value: 5_600 } }, 'warning', /took 6 s to answer\.$/, /^Ask the provider/],
		[{ baseUrl: 'http://8.8.8.8:81/api' }, 'warning', /^8\.8\.8\.8:81 answers without/, /'https'\.$/],
		[{ baseUrl: 'http://[::1]:81/api' }, 'ok', /^\[::1\]:81 answered in/],
		...[401, 403, 429].map((status): Case => [
			{ health: failure(status) },
			'ok',
			/^service\.example\.com answered\.$/,
		]),
		[{ health: failure(500) }, 'problem', /^It failed\.$/, /^Do so\.$/],
	],
	apiKey: [
		[{}, 'ok', /^The service accepts the key\.$/],
		[{ health: failure(401) }, 'problem', /^It failed\.$/, /^Do so\.$/],
		[{ health: failure(403) }, 'problem', /^It failed\.$/, /^Do so\.$/],
		[{ health: failure(429) }, 'unknown', /^It failed\.$/, /^Do so\.$/],
	],
	account: [
		[{}, 'ok', /^Shop, 905300000000 is connected\.$/],
		[accountOf({ status: 'Connected' }), 'ok', /^The account is connected\.$/],
		[accountOf({ status: 'gone', name: 'Shop' }), 'problem', /^Shop is not.*'gone'\.$/, /panel\.$/],
		[accountOf({ status: 'gone' }), 'problem', /^The account is not connected/, /^Reconnect it/],
		[accountOf({ name: 'Shop' }), 'unknown', /does not say whether the account is connected\.$/],
		untried('account'),
		unread('account'),
	],
	clocks: [
		[clockOf(undefined), 'unknown', /does not say what time it is\.$/],
		[clockOf(0), 'ok', /^The clock of the service is 0 s ahead of that of n8n\.$/],
		[clockOf(29_999), 'ok', / 30 s ahead of /],
		[clockOf(-30_000), 'warning', / 30 s behind that /, LATE],
		[clockOf(299_000), 'warning', / 299 s ahead of /, LATE],
		[clockOf(-300_000), 'problem', / 300 s behind that /, LATE],
		[clockOf(600_000), 'problem', / 600 s ahead of /, LATE],
	],
	rateLimit: [
		[{}, 'ok', /^11 of 100 requests are left until 2023-11-14T22:13:20\.000Z\.$/],
		[limitOf({ resetAt: undefined, byOthers: 0 }), 'ok', /^11 of 100 requests are left\.$/],
		[limitOf({ byOthers: 1 }), 'ok', /Z\. Others made 1 requests during these checks\.$/],
		[limitOf({ remaining: 10 }), 'warning', /^10 of 100/, /^Wait until the limit resets\./],
		[limitOf({ limit: undefined }), 'unknown', /^The service does not say what is left\.$/],
		[limitOf({ remaining: undefined }), 'unknown', /^The service does not say what is left\.$/],
		[{ rateLimit: failure(429) }, 'warning', /^It failed\.$/, /^Do so\.$/],
		untried('rateLimit'),
		unread('rateLimit'),
	],
	queue: [
		[{}, 'ok', /^0 messages wait, and 0 failed\.$/],
		[queueOf(100, undefined), 'ok', /^100 messages wait, and an unknown number failed\.$/],
		[queueOf(101, 0), 'warning', /^101 messages wait/, /^Send more slowly, .*broadcast\.$/],
		[queueOf(0, 1), 'warning', /and 1 failed\.$/, /^Look in the account panel why they failed\.$/],
		[queueOf(undefined, 1), 'unknown', /^The service does not say how many messages wait\.$/],
		untried('queue'),
	],
	timeZone: [
		[{}, 'ok', /^Dates without a zone are in Europe\/Istanbul\.$/],
		[NEW_YORK, 'warning', /York\. That is n8n's default, and .*American\.$/, /GENERIC_TIMEZONE\.$/],
		[{ ...NEW_YORK, ...accountOf({ phone_number: '12125550100' }) }, 'ok', /New_York\.$/],
		[{ ...NEW_YORK, ...accountOf({ phone_number: '+12125550100' }) }, 'ok', /New_York\.$/],
		[{ ...NEW_YORK, account: undefined }, 'ok', /New_York\.$/],
	],
	dialect: [
		[{}, 'ok', /^Everything that was read is understood\.$/],
		[{ chats: { value: [] } }, 'ok', /^Everything that was read is understood\. There is no chat yet\.$/],
		[{ message: { value: null } }, 'ok', /understood\.$/],
		...['chats', 'message', 'queue', 'rateLimit', 'webhook'].flatMap((key) => [untried(key), unread(key)]),
	],
};

describe.each(Object.entries(CASES))('%s', (check, cases) => {
	const judge = checks[check as keyof typeof checks] as Parameters<typeof expectVerdict>[0];
	test.each(cases)('of %j is %s', (...given) => expectVerdict(judge, given));
});

test.each<[string, Case[0]]>([
	[
		"'chat.last_message_at' as true or false",
		{
			chats: {
				value: [null, true].map((time) => parseChat({ id: '1', last_message_at: time })),
			},
		},
	],
	["'message.timestamp' as null", { message: { value: parseMessage({ id: 'm', timestamp: null }) } }],
	["'waiting' as a flag", queueOf(undefined, 0)],
	[
		"'limit' as a flag, 'reset_at' as a list",
		limitOf({
			unreadable: [
				['limit', 'a flag'],
				['reset_at', 'a list'],
			],
		}),
	],
	[
		"the webhook's 'events'",
		{ webhook: webhookTo('https://a.example.com', { registered: { hasUnknownEvents: true } }) },
	],
	[
		"the webhook's 'timeout_seconds'",
		{ webhook: webhookTo('https://a.example.com', { registered: { hasUnknownTimeout: true } }) },
	],
	["'url' as a number", { webhook: { error: new UnreadableField('url', 'a number') } }],
])('a service that sends %s is not understood', (form, given) => {
	expect(checks.dialect({ ...FINE, ...given })).toEqual({
		status: 'problem',
		detail: `The service sends in a form that is not understood: ${form}.`,
		advice: 'Report this to the provider of the service.',
	});
});

test.each([
	[{ limit: null, remaining: null, reset_at: null }, []],
	[{ limit: 100, remaining: 100, reset_at: 'soon' }, [['reset_at', "a text like 'aaaa'"]]],
])('of the rate limit %j, only what has an odd form is told', async (data, unreadable) => {
	const call: Client['call'] = async () => await Promise.resolve({ success: true, data });
	expect((await readRateLimit({ call, download: jest.fn() })).unreadable).toEqual(unreadable);
});

test('a permission is seen by a request that needs it', () => {
	const permission = checks.permission('chats:read', ({ chats }) => chats);
	expectVerdict(permission, [{}, 'ok', /^The key has the permission 'chats:read'\.$/]);
	expectVerdict(permission, [{ chats: failure(403) }, 'warning', /^It failed\.$/, /^Do so\.$/]);
	expectVerdict(permission, unread('chats'));
	const unseen: Case = [{}, 'unknown', /^Only a send would show it, and the account panel\.$/];
	expectVerdict(checks.unseenPermission('a send'), unseen);
});

test.each([
	['that has one', [null, '2030-01-31T09:00:00Z'], '1@c.us'],
	['if no time is understood', [null, 'odd'], '0@c.us'],
])('the newest message of the first chat is read, %s', async (_, times, chatId) => {
	const data = times.map((time, index) => ({ id: `${index}@c.us`, last_message_at: time }));
	const asked: unknown[] = [];
	const call: Client['call'] = async ({ endpoint, parameters }) => {
		asked.push(parameters?.chatId);
		return await Promise.resolve({ success: true, data: endpoint === GET_CHATS ? data : {} });
	};
	await readService({ call, download: jest.fn() }, '', systemClock());
	expect(asked).toContain(chatId);
});
