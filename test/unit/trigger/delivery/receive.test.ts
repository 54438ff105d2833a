import type { IDataObject } from 'n8n-workflow';

import { clock } from '../../../../nodes/MessagingChannel/trigger/account/clock';
import { askerTagOf } from '../../../../nodes/MessagingChannel/trigger/sharing/instanceTag';
import { collectGarbage } from '../../usedBytes';
import { OWN_URL, type Response } from '../activation/triggerOf';
import { SECRET } from '../deliveries';
import { message, MINUTE, settled, SHARED, useReceiver, type Request } from './receiver';

const { newTrigger, from, now, pass, elapse } = useReceiver();
const MARK = { 'x-messaging-channel-trigger': '1' };

test('an event starts an execution at once, with what was signed, its ID and the time of its delivery', async () => {
	const { get, executions } = newTrigger();
	const body = message();
	const response = get({ body, headers: { 'x-service-event-id': 'event' } });
	await settled();
	const delivered_at = new Date(now()).toISOString();
	expect(executions).toEqual([[{ ...body, event_id: 'event', delivered_at }]]);
	expect(await response).toEqual({ status: 200, headers: MARK });
});

test("in n8n's Engine 2.0, an event that is selected is held back, as another trigger of this n8n can ask", async () => {
	const { get, log } = newTrigger({ settings: { engineType: 'v2' } });
	for (let count = 0; count < 2; count++) expect(await get()).toMatchObject({ status: 503 });
	expect(await get({ body: message({ event: 'message.status' }) })).toStrictEqual({
		status: 200,
		headers: MARK,
	});
	expect(log).toEqual([expect.stringContaining('An event was held back: ')]);

	await get(from('event', message()));
	const nonce = 'nonce';
	const question = from('status', { nonce, asker: askerTagOf('instance', nonce, SECRET, OWN_URL) });
	const told = { workflow: 'Support', deliveries: { verified: 3, notTaken: 2 } };
	expect((await get(question)).body).toMatchObject({ ...told, isProxied: false });
	const headers = { ...question.headers, via: '1.1 proxy' };
	expect((await get({ ...question, headers })).body).toMatchObject({ ...told, isProxied: true });
});

test('a trigger that polls does not say that it listens', async () => {
	expect((await newTrigger({ parameters: { listen: 'poll' } }).get()).headers).toEqual({});
});

test('what a filter cannot read of a message without a keyword is not told', async () => {
	const parameters = { 'options.keywords': 'price', 'options.chatType': 'group' };
	const { get, executions } = newTrigger({ parameters });
	await get({ body: message({ chat: { type: 1 } }) });
	expect(executions).toEqual([]);
});

describe('a copy of an event', () => {
	const headers = { 'x-service-event-id': 'copied' };

	test('starts an execution if n8n dropped the response, because somebody stopped the first one before it began', async () => {
		const { get, executions, credential } = newTrigger();
		await get({ headers, acceptance: 'none' });
		// The spy holds n8n's context, and so the response.
		credential.mockClear();
		for (let turn = 0; turn < 3; turn++) {
			await settled();
			collectGarbage();
		}
		const copy = get({ headers });
		await settled();
		elapse();
		expect((await copy).status).toBe(200);
		expect(executions).toHaveLength(2);
	});

	test.each<[string, number, (body: IDataObject) => Request, number]>([
		['with its ID starts nothing', 0, () => ({ headers }), 1],
		['starts nothing for ten minutes', 10, (body) => ({ body }), 1],
		['is no longer known after that', 11, (body) => ({ body }), 2],
		['starts nothing for a day where others get it, too', 1440, (body) => ({ body, query: SHARED }), 1],
		['starts nothing for a day where another trigger forwards it', 1440, (body) => from('event', body), 1],
	])('%s, and is responded to', async (_, minutes, requestWith, count) => {
		const { get, executions } = newTrigger({ answer: () => ({ status: 200, isTrigger: true }) });
		const body = message();
		for (const wait of [0, minutes]) {
			pass(wait * MINUTE);
			expect(await get(requestWith(body))).toMatchObject({ status: 200 });
		}
		expect(executions).toHaveLength(count);
	});
});

test('the messages of a chat wait no longer than the service, and other events not at all', async () => {
	const waits = jest.spyOn(clock, 'sleep');
	const parameters = {
		'options.combineEvents': 'perChat',
		'options.silence': 0.4,
		'options.timeoutSeconds': 3,
	};
	const { get } = newTrigger({ parameters });
	expect(await get({ body: message({ event: 'message.sent' }) })).toMatchObject({ status: 200 });
	void get();
	await settled();
	expect(waits.mock.calls.map(([ms]) => ms)).toEqual([400, 500]);
});

describe('a test', () => {
	test('takes an event at once, and as often as the service sends it', async () => {
		const { get, executions } = newTrigger({ parameters: { 'options.combineEvents': 'perChat' } });
		const body = message();
		for (let count = 1; count <= 2; count++) {
			await get({ body, headers: { 'x-service-event-id': 'again' }, mode: 'manual' });
			expect(executions).toHaveLength(count);
		}
	});

	test('is told each time what a filter cannot read, and production once an hour of each field', async () => {
		const parameters = { 'options.chatType': 'group', 'options.messageTypes': 'chat' };
		const { get, executions } = newTrigger({ parameters });
		const odd = message({ chat: { type: 1 } });
		const description = expect.stringContaining('Messages that have it do not start this workflow') as string;
		const telling = (text: string) => [
			{ report: { message: expect.stringContaining(text) as string, description } },
		];
		const [chatType, type] = [
			telling("'chat.type' in a form that is not understood: a number like 9"),
			telling("'message.type' in a form that is not understood: an object"),
		];
		for (const mode of ['manual', 'manual', 'webhook', 'webhook'] as const) await get({ body: odd, mode });
		await get({ body: message({ chat: { type: 'group' }, message: { id: '1', type: {}, from_me: false } }) });
		expect(executions).toMatchObject([chatType, chatType, chatType, type]);
	});
});

describe('an event of another account', () => {
	const foreign = () => message({ account_id: 'account-2' });
	const accountIs = (id: string) => () => ({ statusCode: 200, body: { success: true, data: { id } } });
	const kept = { accountId: 'account-1' };

	const fails = () => ({ statusCode: 500, body: {} });
	const namesNone = () => ({ statusCode: 200, body: { success: true, data: {} } });
	test.each<[string, () => Response, number, number[], number]>([
		['is dropped once, and delivered again within the minute', accountIs('account-1'), 1, [200, 503], 1],
		['is dropped after each look', accountIs('account-1'), 1_000, [200, 200], 2],
		['is taken if the API key has that account by now', accountIs('account-2'), 1_000, [200, 200], 1],
		['is delivered again when the service fails', fails, 1, [503, 503], 2],
		['is delivered again when the service names no account', namesNone, 1, [503, 503], 1],
	])('%s', async (_, response, seconds, statuses, looks) => {
		const respond = jest.fn(response);
		const { get, log } = newTrigger({ kept, respond });
		expect(await get({ body: message({ account_id: 'account-1' }) })).toMatchObject({ status: 200 });
		for (const status of statuses) {
			expect(await get({ body: foreign() })).toMatchObject({ status });
			pass(seconds * 1_000);
		}
		expect(respond).toHaveBeenCalledTimes(looks);
		expect(log[0]).toContain('account');
	});

	test('is taken if a new API key has that account, whatever was known of the one before', async () => {
		const service = { accountId: 'account-1' };
		const respond = () => accountIs(service.accountId)();
		const { get, credential, executions, log } = newTrigger({ kept, respond });
		await get({ body: foreign() });
		executions.splice(0);
		service.accountId = 'account-2';
		const baseUrl = 'https://new-key.example.com';
		credential.mockResolvedValue({ baseUrl, apiKey: 'new', signingSecret: SECRET });

		expect(await get({ body: foreign() })).toMatchObject({ status: 200 });
		expect(executions).toMatchObject([[{ account_id: 'account-2' }]]);
		expect(log[1]).toContain("belongs to the account 'account-2' now, and before to 'account-1'");
	});

	test('is told once an hour in an execution when it is dropped, and in the log', async () => {
		const { get, executions, log } = newTrigger({ kept, respond: accountIs('account-1') });
		for (let count = 0; count < 3; count++, pass(MINUTE)) await get({ body: foreign() });
		expect(executions).toMatchObject([
			[{ report: { description: expect.stringContaining("The account before is 'account-2'") } }],
		]);
		expect([...new Set(log)]).toEqual([
			'Listens in workflow workflow: An event was dropped because it belongs to a different account than the API key in the credential',
		]);
	});
});
