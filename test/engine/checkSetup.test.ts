import omit from 'lodash/omit';

import { REQUEST_HEADER } from '../../nodes/MessagingChannel/trigger/sharing/internalRequest';
import { FINE, hintFor, NO_TRIGGER, UNASKED, UNTOLD } from '../support/checkSetup';
import { PUBLIC, rowOf, statusesOf, useCheckSetup, type Given } from '../support/engine/checkSetup';
import { settings, waitingAt } from '../support/engine/context';
import { eventually } from '../support/poll';
import { startReceiver } from '../support/service/testing';

const setup = useCheckSetup();
const { place, control, key, check, publish, whole, elsewhere, setWebhook, setUrl, answer } = setup;
const { keyWith, endings } = setup;

test('a whole setup is fine, and nothing is changed or shown of its secrets', async () => {
	await whole();
	await control().clearRequests();

	const { output, hints } = await check();

	expect(statusesOf(output)).toEqual(FINE);
	expect(Object.keys(statusesOf(output))).toEqual(Object.keys(FINE));
	expect(hints).toEqual([{ type: 'info', location: 'outputPane', message: 'All checks are fine.' }]);
	expect((await control().requests()).map(({ method }) => method)).toEqual(Array(8).fill('GET'));
	const { apiKey, signingSecret } = await key();
	for (const secret of [apiKey, signingSecret]) expect(JSON.stringify(output)).not.toContain(secret);
});

test('a success that is told as 1 is one', async () => {
	await whole();
	const body = { success: 1, status: 'ok' };
	await control().addFault({ operationId: 'account.getHealth', kind: 'status', status: 200, body });

	expect(statusesOf((await check()).output)).toEqual(FINE);
});

interface Break {
	name: string;
	breaks: () => Promise<Given | void>;
	/** The rows that turn: that of the check, and those that can no longer be known. */
	turns: Record<string, string>;
	/** What the first of them says. */
	says: RegExp;
}

const LIMIT = { limit: 100, window: '1m', reset_at: '2031-01-01T00:00:00.000Z' };

const BREAKS: Break[] = [
	{
		name: 'nobody is at the base URL',
		breaks: async () => await Promise.resolve({ credential: { baseUrl: 'http://127.0.0.1:9' } }),
		turns: { Service: 'problem', 'API Key': 'unknown', ...UNASKED },
		says: /connection to the service was refused/,
	},
	{
		name: 'something else is at the base URL',
		breaks: async () =>
			void (await control().addFault({ operationId: 'account.getHealth', kind: 'html', status: 200 })),
		turns: { Service: 'problem', 'API Key': 'unknown', ...UNASKED, Clocks: 'ok' },
		says: /not in the format of the messaging service/,
	},
	{
		name: 'the rate limit is exceeded',
		breaks: async () => await control().setRateLimit({ limit: 0, windowSeconds: 60 }),
		turns: { 'Rate Limit': 'warning', 'API Key': 'unknown', ...omit(UNASKED, 'Rate Limit'), Clocks: 'ok' },
		says: /has reached its rate limit/,
	},
	{
		name: 'the key is wrong',
		breaks: async () => await Promise.resolve({ credential: { apiKey: 'wrong-key' } }),
		turns: { 'API Key': 'problem', ...UNASKED, Clocks: 'ok' },
		says: /rejected the API key/,
	},
	{
		name: 'the key lacks chats:read',
		breaks: async () => await keyWith('messages:read'),
		turns: { 'Permission chats:read': 'warning', Dialect: 'unknown' },
		says: /lacks the permission 'chats:read'/,
	},
	{
		name: 'the key lacks messages:read',
		breaks: async () => await keyWith('chats:read'),
		turns: {
			'Permission messages:read': 'warning',
			'Rate Limit': 'unknown',
			Queue: 'unknown',
			Dialect: 'unknown',
		},
		says: /lacks the permission 'messages:read'/,
	},
	{
		name: 'the account is disconnected',
		breaks: async () => void (await control().setAccount({ status: 'disconnected' })),
		turns: { Account: 'problem' },
		says: /Demo account, 905300000000 is not connected: its status is 'disconnected'/,
	},
	{
		name: 'the clocks differ by a minute',
		breaks: async () => await control().setClock({ offsetMs: -60_000 }),
		turns: { Clocks: 'warning' },
		says: /(59|60|61) s behind/,
	},
	{
		name: 'the rate limit is used up, by others, too',
		breaks: async () =>
			await answer('message.getRateLimit', { ...LIMIT, remaining: 25 }, { ...LIMIT, remaining: 9 }),
		turns: { 'Rate Limit': 'warning' },
		says: /9 of 100 requests are left until 2031-.*Others made 10 requests/,
	},
	{
		name: 'messages fail',
		breaks: async () => await answer('message.getQueue', { waiting: 0, active: 0, failed: 3, delayed: 0 }),
		turns: { Queue: 'warning' },
		says: /3 failed/,
	},
	{
		name: 'there is no webhook',
		breaks: async () => await control().setWebhook({ config: null }),
		turns: { Webhook: 'warning', Receivers: 'unknown', ...NO_TRIGGER },
		says: /has no webhook/,
	},
	{
		name: 'the webhook gets no events',
		breaks: async () => await setWebhook({ events: [] }),
		turns: { Webhook: 'problem' },
		says: /gets no events/,
	},
	{
		name: 'the webhook points to another system',
		breaks: async () => await setUrl('https://crm.example.com/in?token=hidden'),
		turns: { Receivers: 'warning', 'Webhook URL': 'unknown', ...NO_TRIGGER },
		says: /another system at https:\/\/crm\.example\.com\/in\.$/,
	},
	{
		name: 'the service cannot reach n8n',
		breaks: async () => await Promise.resolve({ credential: { baseUrl: PUBLIC } }),
		turns: { 'Webhook URL': 'problem' },
		says: /only available on your own machine/,
	},
	{
		name: 'the address of n8n redirects',
		breaks: async () => await setUrl(await elsewhere(302)),
		turns: { 'n8n Address': 'problem', ...UNTOLD },
		says: /redirects to another address \(HTTP 302\)/,
	},
	{
		name: 'n8n does not reach itself',
		breaks: async () => await setUrl('http://127.0.0.1:9/webhook/other/webhook'),
		turns: { 'n8n Address': 'warning', ...UNTOLD },
		says: /did not answer from here/,
	},
	{
		name: 'the credential has another secret than the trigger',
		breaks: async () => await Promise.resolve({ credential: { signingSecret: 'another secret' } }),
		turns: { 'Signing Secret': 'problem', Deliveries: 'unknown' },
		says: /has another secret/,
	},
	{
		name: 'the credential has no secret',
		breaks: async () => await Promise.resolve({ credential: { signingSecret: '' } }),
		turns: NO_TRIGGER,
		says: /has no 'Signing Secret'/,
	},
	{
		name: 'the service signs with another secret, as its sample shows',
		breaks: async () => {
			await control().configure({ wrongSignatures: true });
			return { options: { sendTestEvent: true } };
		},
		turns: { 'Signing Secret': 'problem' },
		says: /its signature does not match/,
	},
	{
		name: 'the service refuses to send a sample',
		breaks: async () => {
			await control().addFault({ operationId: 'webhook.test', kind: 'status', status: 500 });
			return { options: { sendTestEvent: true } };
		},
		turns: { 'Signing Secret': 'unknown' },
		says: /could not process the request/,
	},
	{
		name: 'the sample does not arrive',
		breaks: async () => {
			await control().configure({ sample: { sent: 'never' } });
			return { options: { sendTestEvent: true } };
		},
		turns: { 'Signing Secret': 'warning' },
		says: /did not arrive/,
	},
	{
		name: 'a delivery was refused',
		breaks: async () => void (await place.deliver({ signature: 'wrong' })),
		turns: { Deliveries: 'warning' },
		says: /1 verified; 1 refused: its signature does not match/,
	},
	{
		name: 'the workflow has the time zone of New York, and the account is Turkish',
		breaks: async () => await Promise.resolve(void (settings.timezone = 'America/New_York')),
		turns: { 'Time Zone': 'warning' },
		says: /the number of the account is not American/,
	},
	{
		name: 'nobody can read what the service writes',
		breaks: async () => void (await control().configure({ dialect: 'unreadable' })),
		turns: { Dialect: 'problem' },
		says: /'chat\.last_message_at' as a text like '99\.99\.9999'/,
	},
];

test.each(BREAKS)('shows that $name, and nothing else', async ({ breaks, turns, says }) => {
	await whole();
	const given = (await breaks()) ?? {};

	const done = await check(given);

	expect(statusesOf(done.output)).toEqual({ ...FINE, ...turns });
	const [[first = '', status]] = Object.entries(turns) as [[string, string]];
	const row = rowOf(done, first);
	expect(row?.detail).toMatch(says);
	expect(JSON.stringify(done.output)).not.toMatch(/hidden|another secret'/);
	if (status !== 'unknown') expect(row?.advice).toMatch(/^[A-Zn].*[."]$/);
	expect(done.hints).toMatchObject([{ message: expect.stringMatching(hintFor(turns)) as string }]);
});

test('events that fail at the trigger are told', async () => {
	const trigger = await whole();
	trigger.node.parameters.events = '={{ "messages" }}';
	await place.deliver();
	expect(trigger.failed.splice(0)).toHaveLength(1);

	const done = await check();

	expect(statusesOf(done.output)).toEqual({ ...FINE, Deliveries: 'warning' });
	expect(rowOf(done, 'Deliveries')?.detail).toMatch(/: 2 verified; 1 not taken by n8n\.$/);
});

test('tests whose URLs are elsewhere are told', async () => {
	await whole();
	settings.editorUrl = 'http://10.0.0.1:5678';

	const inside = await check();
	const outside = await check({ credential: { baseUrl: PUBLIC } });

	expect(statusesOf(inside.output)).toEqual(FINE);
	expect(statusesOf(outside.output)).toEqual({ ...FINE, 'Webhook URL': 'problem', 'Test URLs': 'warning' });
});

test('a password in the address of n8n is not shown', async () => {
	await whole();
	settings.editorUrl = 'http://ada:hidden@10.0.0.1:5678';
	await control().setWebhook({ config: null });
	waitingAt.url = 'http://ada:hidden@10.0.0.1:5678/webhook-waiting';

	expect(JSON.stringify(await check())).not.toContain('hidden');
});

test('a wait for the rate limit is not taken for a slow service', async () => {
	await whole();
	const body = { success: false, error: 'rate_limit_exceeded' };
	await control().addFault({ operationId: 'account.getHealth', kind: 'status', status: 429, body });

	const { output } = await check({ options: { maxAttempts: 2, maxRateLimitWait: 300 } });

	expect(statusesOf(output)).toMatchObject({ Service: 'ok', 'Rate Limit': 'ok' });
});

test('a setup that could not be read as a whole is not called fine, and retries are not taken for others', async () => {
	await whole();
	await control().addFault({ operationId: 'webhook.get', kind: 'status', status: 500 });
	await answer('message.getRateLimit', { ...LIMIT, remaining: 99 }, { ...LIMIT, remaining: 92 });
	const retried = await check({ options: { maxAttempts: 2 } });
	await control().addFault({ operationId: 'webhook.get', kind: 'status', status: 500, times: 'always' });
	const unread = await check();

	expect(statusesOf(retried.output)).toEqual(FINE);
	expect(rowOf(retried, 'Rate Limit')?.detail).not.toContain('Others');
	expect(rowOf(unread, 'Webhook')?.status).toBe('unknown');
	const message: unknown = expect.stringMatching(/^Webhook: The service could not .* Also: Receivers, /);
	expect(unread.hints).toMatchObject([{ type: 'warning', message }]);
});

test('a trigger that polls says how far it is', async () => {
	await whole();
	const trigger = await publish({ workflowName: 'Polls', parameters: { listen: 'poll' } });
	await control().addFault({ operationId: 'chat.getAll', kind: 'status', status: 500 });
	endings.push(await trigger.watch('trigger', 'activate'));
	const done = await eventually(
		async () => await check(),
		(run) => rowOf(run, 'Polling and Catching Up')?.status !== 'unknown',
	);

	expect(statusesOf(done.output)).toEqual({ ...FINE, 'Polling and Catching Up': 'warning' });
	expect(rowOf(done, 'Polling and Catching Up')?.detail).toMatch(
		/^workflow 'Polls' polls, last \d+ s ago: The service could not process the request\.$/,
	);
});

test('the receivers are named, but not by another n8n', async () => {
	await whole();
	const parameters = { options: { ifWebhookExists: 'share' } };
	await publish({ workflowName: 'Sales', parameters });
	await publish({ workflowName: 'Not told', instanceId: 'other', parameters });

	const done = await check();

	expect(rowOf(done, 'Receivers')).toMatchObject({
		status: 'ok',
		detail: expect.stringMatching(
			/^workflow 'Support'; workflow 'Sales'; a workflow at http:\/\/127\.0\.0\.1:\S+\.$/,
		),
	});
	expect(JSON.stringify(done.output)).not.toContain('Not told');
});

test('another system that is asked cannot ask on for names', async () => {
	await publish({ workflowName: 'Not told' });
	const { config } = await control().webhook();
	const other = await startReceiver();
	endings.push(async () => await other.stop());
	await setUrl(other.url.replace('/hook', '/webhook/other/webhook'));
	await check();
	const asked = other.received.find(({ headers }) => headers[REQUEST_HEADER] !== undefined);

	const told = await fetch(String(config?.url), {
		method: 'POST',
		headers: { 'content-type': 'application/json', [REQUEST_HEADER]: String(asked?.headers[REQUEST_HEADER]) },
		body: asked?.body.toString(),
	});

	expect(told.status).toBe(200);
	expect(await told.text()).not.toContain('Not told');
});

test('all items share one report, unless they ask for another one', async () => {
	await whole();
	await control().clearRequests();
	const items = [{ sample: false }, { sample: true }, { sample: false }];

	const { output, hints } = await check({ items });
	// A sample shows that the secret is right.
	const different = await check({ items, options: { sendTestEvent: '={{ $json.sample }}' } });

	const reportFor = (...pairedItem: object[]) => Object.keys(FINE).map(() => pairedItem);
	expect(output.map(({ pairedItem }) => pairedItem)).toEqual(
		reportFor({ item: 0 }, { item: 1 }, { item: 2 }),
	);
	expect(hints).toHaveLength(1);
	expect(different.output.map(({ pairedItem }) => [pairedItem].flat())).toEqual([
		...reportFor({ item: 0 }, { item: 2 }),
		...reportFor({ item: 1 }),
	]);
	expect(statusesOf(different.output)).toEqual(FINE);
	const samples = await control().requests({ operationId: 'webhook.test' });
	expect([samples.length, (await control().requests({ operationId: 'account.getHealth' })).length]).toEqual([
		1, 3,
	]);
});
