import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { clock } from '../../../../nodes/MessagingChannel/trigger/account/clock';
import { openDoor } from '../../../../nodes/MessagingChannel/trigger/delivery/door';
import { receive } from '../../../../nodes/MessagingChannel/trigger/delivery/receive';
import { secretChecks } from '../../../../nodes/MessagingChannel/trigger/delivery/state';
import {
	requestHeader,
	REQUEST_HEADER,
} from '../../../../nodes/MessagingChannel/trigger/sharing/internalRequest';
import { newCheckToken } from '../../../../nodes/MessagingChannel/webhook/checkUrl';
import { registrationOf } from '../../../../nodes/MessagingChannel/webhook/sharedUrl';
import type { Subscriber, Subscribers } from '../../../../nodes/MessagingChannel/webhook/subscribers';
import { replaceTriggerClock } from '../../../support/engine/triggerClock';
import { OWN_URL, triggerOf, webhookOf, workflow, type Answer, type Response } from '../activation/triggerOf';
import { delivery, NOW, SECONDS, SECRET } from '../deliveries';

const MINUTE = 60_000;

let now = NOW;
/** Ends the waits, which take no time otherwise. */
let elapse: () => void;
beforeEach(() => {
	now += 180 * MINUTE;
	jest.spyOn(Date, 'now').mockImplementation(() => now);
	const waits: Array<() => void> = [];
	elapse = () => waits.splice(0).forEach((wake) => wake());
	replaceTriggerClock(
		() => now,
		async (_, signal) =>
			await new Promise((resolve, reject) => {
				waits.push(resolve);
				signal?.addEventListener('abort', () => reject(new Error('It is over')));
			}),
	);
});
afterEach(() => void jest.restoreAllMocks());

/** Lets everything happen that waits for no time. */
const settled = async () => {
	for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
};

let events = 0;

/** A received message, unlike every other. */
const message = (more: IDataObject = {}): IDataObject => ({
	event: 'message.received',
	account_id: 'account-1',
	chat: { id: '905551112233@c.us', type: 'individual' },
	message: { id: `message-${++events}`, body: 'Hello', type: 'chat', from_me: false },
	...more,
});

interface Request {
	body?: IDataObject;
	headers?: Record<string, string | undefined>;
	query?: IDataObject;
	mode?: 'webhook' | 'manual';
	/** What n8n responds with when it gets the event. */
	acceptance?: number | Promise<number>;
}

interface Options {
	/** `options.` and the name of each. */
	parameters?: IDataObject;
	kept?: IDataObject;
	respond?: () => Response;
	/** How the workflows at these URLs respond. */
	answer?: (url: string) => Answer | Promise<Answer>;
}

let triggers = 0;

/** A trigger of which this process knows nothing yet. */
function newTrigger({ parameters = {}, kept = {}, ...others }: Options = {}) {
	const id = `node-${++triggers}`;
	const { context, log, asked } = triggerOf({
		baseUrl: `https://trigger-${triggers}.example.com`,
		parameters: { events: ['message.received', 'message.sent'], ...parameters },
		kept,
		secret: SECRET,
		...others,
	});
	const credential = jest.spyOn(context, 'getCredentials');
	/** The items of each execution. */
	const executions: IDataObject[][] = [];

	/** Resolves to what the service receives. */
	const receiveRequest = async ({
		body = message(),
		query = {},
		mode = 'webhook',
		acceptance = 200,
		...more
	}: Request = {}) => {
		const rawBody = Buffer.from(JSON.stringify(body));
		const { headers } = delivery(rawBody, {
			'x-service-timestamp': String(now / 1000),
			'x-service-event-id': `event-${++events}`,
			...more.headers,
		});
		const received: { status?: number; body?: unknown; headers: IDataObject } = { headers: {} };
		const response = {
			statusCode: 200,
			writableEnded: false,
			setHeader: (name: string, value: string) => void (received.headers[name] = value),
			removeHeader: () => {},
			status: (status: number) => void (response.statusCode = status),
			json: (content: unknown) => {
				received.body = content;
				response.end();
			},
			end: () => {
				response.writableEnded = true;
				received.status = response.statusCode;
			},
		};
		const request = {
			headers,
			rawBody: undefined as Buffer | undefined,
			readRawBody: async () => {
				// n8n has read a form by then.
				if (/^multipart/i.test(String(headers['content-type']))) throw new Error('stream is not readable');
				await Promise.resolve();
				request.rawBody = rawBody;
			},
		};
		const requested = {
			...context,
			getWorkflowSettings: () => ({}),
			getNode: () => ({ id, name: 'Listens', parameters }),
			getMode: () => mode,
			getQueryData: () => query,
			getHeaderData: () => headers,
			getRequestObject: () => request,
			getResponseObject: () => response,
		};
		const result = await receive(await openDoor(requested as unknown as IWebhookFunctions));
		executions.push(...(result.workflowData ?? []).map((items) => items.map(({ json }) => json)));
		if (!result.noWebhookResponse) {
			response.status(await acceptance);
			response.end();
		}
		await settled();
		return received;
	};
	return { receive: receiveRequest, executions, credential, log, asked };
}

/** A request of another trigger. */
const from = (kind: Parameters<typeof requestHeader>[0], body: IDataObject, secret = SECRET) => ({
	body,
	headers: { [REQUEST_HEADER]: requestHeader(kind, Buffer.from(JSON.stringify(body)), secret, now) },
});

const OTHER = workflow('https://n8n.example.com/webhook/other/webhook');

/** In the URL of a hub that shares the webhook. */
const queryOf = (subscribers: Subscribers): IDataObject =>
	Object.fromEntries(new URL(registrationOf(subscribers, SECRET).url).searchParams);
const sharedWith = (other: Subscriber) => queryOf([workflow(OWN_URL), other]);
const SHARED = sharedWith(OTHER);

test('an event starts an execution at once, with what was signed, its ID and the time of its delivery', async () => {
	const { receive: get, executions } = newTrigger();
	const body = message();
	const response = get({ body, headers: { 'x-service-event-id': 'event' } });
	await settled();
	const delivered_at = new Date(now).toISOString();
	expect(executions).toEqual([[{ ...body, event_id: 'event', delivered_at }]]);
	expect(await response).toEqual({ status: 200, headers: { 'x-messaging-channel-trigger': '1' } });
});

test.each([
	['was not selected', message({ event: 'message.status', chat: { id: '1@g.us', type: 'group' } })],
	['does not pass the filters', message({ chat: { type: 'individual' } })],
])('an event that %s is responded to without a body, and starts nothing', async (_, body) => {
	const { receive: get, executions } = newTrigger({ parameters: { 'options.chatType': 'group' } });
	const response = await get({ body });
	expect(response.status).toBe(200);
	expect('body' in response).toBe(false);
	expect(executions).toEqual([]);
});

test('the sample of an activation starts nothing', async () => {
	const { receive: get, executions } = newTrigger({ kept: { sampleId: 'sample' } });
	expect(await get({ headers: { 'x-service-event-id': 'sample' } })).toMatchObject({ status: 200 });
	expect(executions).toEqual([]);
});

describe('a delivery', () => {
	test.each([
		[
			'that is forged',
			{ 'x-service-signature': '0'.repeat(64) },
			401,
			'invalid_signature',
			'its signature does not match: the signing secret in the credential is wrong, or someone else sent it',
		],
		[
			'that is stale',
			{ 'x-service-timestamp': String(SECONDS - 301) },
			401,
			'stale_timestamp',
			'its timestamp is more than 300 seconds off: the clock of this machine is wrong, or someone else sent the event again',
		],
		[
			'in a form',
			{ 'content-type': 'Multipart/mixed' },
			415,
			'unsupported_media_type',
			'its content type is not JSON',
		],
	])('%s is refused, and the log says why', async (_, headers, status, error, reason) => {
		const { receive: get, executions, log } = newTrigger();
		expect(await get({ headers })).toMatchObject({ status, body: { error } });
		expect(executions).toEqual([]);
		expect(log).toEqual([`Listens in workflow workflow: A delivery was rejected: ${reason}`]);
	});

	test('is no form because a parameter of its content type names one', async () => {
		const { receive: get, executions } = newTrigger();
		const headers = { 'content-type': 'application/json; from=multipart/mixed' };
		expect(await get({ headers })).toMatchObject({ status: 200 });
		expect(executions).toHaveLength(1);
	});

	test('is made again when the credential cannot be read, and the log says so', async () => {
		const { receive: get, executions, credential, log } = newTrigger();
		credential.mockRejectedValueOnce(new Error('Credentials not found'));
		expect(await get()).toMatchObject({ status: 503, body: { error: 'not_accepted' } });
		expect(log).toEqual([
			'Listens in workflow workflow: A delivery could not be verified because the credential could not be read or has just changed',
		]);
		expect(await get()).toMatchObject({ status: 200 });
		expect(executions).toHaveLength(1);
	});

	test('is verified with the secret that the credential has by now, which is read once', async () => {
		const { receive: get, executions, credential } = newTrigger();
		credential.mockResolvedValueOnce({ signingSecret: 'before the rotation' });
		expect((await get()).status).toBe(200);
		expect((await get()).status).toBe(200);
		expect(executions).toHaveLength(2);
		expect(credential).toHaveBeenCalledTimes(2);
	});

	test('is made again when the secret has just changed', async () => {
		const { receive: get, credential } = newTrigger();
		credential.mockResolvedValueOnce({ signingSecret: 'one' });
		credential.mockResolvedValueOnce({ signingSecret: 'two' });
		expect((await get()).status).toBe(401);
		expect((await get()).status).toBe(503);
		now += 1_000;
		expect((await get()).status).toBe(200);
	});

	test('that cannot be verified has the credential read only if another secret may fit', async () => {
		const { receive: get, credential } = newTrigger();
		await get();
		for (const signature of [undefined, 'short'])
			expect((await get({ headers: { 'x-service-signature': signature } })).status).toBe(401);
		expect(credential).toHaveBeenCalledTimes(1);
		await get({ headers: { 'x-service-signature': '0'.repeat(64) } });
		expect(credential).toHaveBeenCalledTimes(2);
	});
});

describe('while a secret is checked, an event is refused for the time being', () => {
	const NOT_ACTIVE = { status: 503, body: { error: 'not_active_yet' } };

	test('in the process that checks it', async () => {
		const { receive: get, executions } = newTrigger();
		const token = newCheckToken(now);
		const check = secretChecks.start(token, SECRET);

		expect(await get({ query: { check: token } })).toMatchObject(NOT_ACTIVE);

		expect([check.end(), executions]).toEqual(['right', []]);
		expect(await get({ query: { check: token } })).toMatchObject({ status: 200 });
	});

	test('in another process', async () => {
		const { receive: get, executions } = newTrigger();

		expect(await get({ query: { check: newCheckToken(now) } })).toMatchObject(NOT_ACTIVE);

		expect(executions).toEqual([]);
		expect(await get({ query: { check: newCheckToken(now - MINUTE) } })).toMatchObject({ status: 200 });
	});
});

describe('a request of another trigger', () => {
	test('is responded to, and has the credential read once', async () => {
		const { receive: get, executions, credential } = newTrigger();
		expect(await get(from('reach', {}))).toEqual({
			status: 200,
			body: {},
			headers: { 'x-messaging-channel-trigger': '1' },
		});
		expect(executions).toEqual([]);
		expect(credential).toHaveBeenCalledTimes(1);
	});

	test('learns whether an event has shown the secret to be right', async () => {
		const { receive: get } = newTrigger({ kept: { accountId: 'account-9' } });
		const asking = from('probe', { url: OWN_URL });
		expect(await get(asking)).toMatchObject({ body: { isProven: false } });
		await get({ body: message({ account_id: 'account-9' }) });
		expect(await get(asking)).toMatchObject({ body: { isProven: true } });
	});

	test('that reports a problem starts an execution', async () => {
		const { receive: get, executions } = newTrigger();
		const problem = { receiver: OWN_URL, problem: 'fails', since: new Date(now).toISOString() };
		expect(await get(from('report', problem))).toMatchObject({ status: 200, body: {} });
		expect(executions).toEqual([[problem]]);
	});

	test('is verified with the secret that the credential has by now', async () => {
		const { receive: get, credential } = newTrigger();
		credential.mockResolvedValueOnce({ signingSecret: 'before the rotation' });
		expect(await get(from('reach', {}))).toMatchObject({ status: 200, body: {} });
	});

	test('with another secret is none', async () => {
		const { receive: get, executions } = newTrigger();
		const { body, headers } = from('reach', {}, 'guessed');
		const unsigned = { ...headers, 'x-service-signature': undefined };
		expect(await get({ body, headers: unsigned })).toMatchObject({ status: 401 });
		expect(executions).toEqual([]);
	});

	test('is none in a form, of which nothing can be verified', async () => {
		const { receive: get } = newTrigger();
		const { body, headers } = from('reach', {});
		const form = { ...headers, 'content-type': 'multipart/form-data' };
		expect(await get({ body, headers: form })).toMatchObject({ status: 415 });
	});

	test('that forwards an event has it forwarded to nobody else', async () => {
		const { receive: get, executions, asked } = newTrigger();

		expect(await get({ ...from('event', message()), query: SHARED })).toMatchObject({ status: 200 });
		expect([executions.length, asked]).toEqual([1, []]);

		// A mark that somebody else made does not count.
		void get({ ...from('event', message(), 'guessed'), query: SHARED });
		await settled();
		expect(asked).toEqual(['event https://n8n.example.com/webhook/other/webhook']);
	});
});

describe('a copy of an event', () => {
	const headers = { 'x-service-event-id': 'copied' };

	test('is responded to, and starts nothing', async () => {
		const { receive: get, executions } = newTrigger();
		for (let count = 0; count < 2; count++) expect((await get({ headers })).status).toBe(200);
		expect(executions).toHaveLength(1);
	});

	test('starts an execution if n8n could not start one', async () => {
		const { receive: get, executions } = newTrigger();
		expect((await get({ headers, acceptance: 500 })).status).toBe(500);
		expect((await get({ headers })).status).toBe(200);
		expect(executions).toHaveLength(2);
	});

	test.each<[string, number, (body: IDataObject) => Request, number]>([
		['starts nothing for ten minutes', 10, (body) => ({ body }), 1],
		['is no longer known after that', 11, (body) => ({ body }), 2],
		['starts nothing for a day where others get it, too', 1440, (body) => ({ body, query: SHARED }), 1],
		['starts nothing for a day where another trigger forwards it', 1440, (body) => from('event', body), 1],
	])('%s', async (_, minutes, requestWith, count) => {
		const { receive: get, executions } = newTrigger();
		const body = message();
		for (const wait of [0, minutes]) {
			now += wait * MINUTE;
			void get(requestWith(body));
			await settled();
		}
		expect(executions).toHaveLength(count);
	});

	test('is made again when n8n has not responded to the first one in time', async () => {
		const { receive: get, executions } = newTrigger();
		void get({ headers, acceptance: new Promise(() => {}) });
		await settled();
		const copy = get({ headers });
		await settled();
		elapse();
		expect(await copy).toMatchObject({ status: 503, body: { error: 'not_accepted' } });
		expect(executions).toHaveLength(1);
	});
});

test('the messages of a chat wait no longer than the service, which may allow less than the panel', async () => {
	const waits = jest.spyOn(clock, 'sleep');
	const parameters = { 'options.combineEvents': 'perChat', 'options.silence': 0.4 };
	void newTrigger({ parameters, kept: { timeoutSeconds: 3 } }).receive();
	await settled();
	expect(waits.mock.calls.map(([ms]) => ms)).toEqual([400, 500]);
});

describe('an event that others get, too', () => {
	const headers = { 'x-service-event-id': 'forwarded' };

	test('is forwarded once, although another system passes it on to this trigger', async () => {
		const copies: Array<ReturnType<typeof get>> = [];
		const { receive: get, asked } = newTrigger({
			answer: async () => {
				if (copies.length < 5) copies.push(get({ body, headers }));
				return await Promise.race(copies).then(() => ({ status: 200, isTrigger: true }));
			},
			respond: () => ({
				statusCode: 200,
				body: { success: true, data: webhookOf([workflow(OWN_URL), OTHER]) },
			}),
		});
		const body = message();
		// The list is read.
		const first = await get({ body, headers, query: { subscribers: 'x' } });
		const responses = [first, ...(await Promise.all(copies))];
		await settled();

		expect(responses.map(({ status }) => status)).toEqual([200, 200]);
		expect(asked).toHaveLength(1);
	});

	/** The response to each of these bodies, and how often others were asked until then. */
	const deliverAll = async (
		{ receive: get, asked }: Pick<ReturnType<typeof newTrigger>, 'receive' | 'asked'>,
		bodies: IDataObject[],
		query: IDataObject,
	) => {
		const deliveries: unknown[] = [];
		for (const body of bodies) {
			const { status } = await get({ body, headers, query });
			deliveries.push([status, asked.length]);
		}
		return deliveries;
	};

	test('is forwarded until all of them have it, and then not again for a day', async () => {
		const statuses = [500, 200];
		const trigger = newTrigger({
			answer: () => ({ status: statuses.shift() ?? 500, isTrigger: true }),
		});
		const body = message();

		const deliveries = await deliverAll(trigger, [body, body], SHARED);
		now += 1440 * MINUTE;
		expect([...deliveries, ...(await deliverAll(trigger, [body], SHARED))]).toEqual([
			[503, 1],
			[200, 2],
			[200, 2],
		]);
	});

	test('is forwarded again to who refused it, or who has another event with its ID', async () => {
		const statuses = [410, 500];
		const third = workflow('https://n8n.example.com/webhook/third/webhook');
		const trigger = newTrigger({
			answer: () => ({ status: statuses.shift() ?? 200, isTrigger: true }),
		});
		const query = queryOf([workflow(OWN_URL), OTHER, third]);
		const body = message();
		const bodies = [body, body, message({ body: 'another' })];

		expect(await deliverAll(trigger, bodies, query)).toEqual([
			[503, 2],
			[200, 4],
			[200, 6],
		]);
	});

	test('is delivered again with another delivery whose receivers do not take it', async () => {
		const second: Array<ReturnType<typeof get>> = [];
		const { receive: get, asked } = newTrigger({
			answer: async () => {
				now += MINUTE;
				if (second.length === 0) second.push(get({ body, headers, query: SHARED }));
				await settled();
				return { status: 500 };
			},
		});
		const body = message();
		const { status } = await get({ body, headers, query: SHARED });

		expect([status, ...(await Promise.all(second)).map((each) => each.status)]).toEqual([503, 503]);
		expect(asked).toHaveLength(1);
	});

	test('is delivered again if its URL in this process is not the one that is registered, and the log says so', async () => {
		const subscribers = [workflow(OWN_URL.replace('n8n', 'user:hidden@other')), OTHER];
		const { receive: get, log } = newTrigger({
			respond: () => ({ statusCode: 200, body: { success: true, data: webhookOf(subscribers) } }),
		});

		expect((await get({ query: queryOf(subscribers) })).status).toBe(503);
		expect(log).toEqual([
			expect.stringMatching(
				/registered at https:\/\/other\.\S+, and its URL in this process is https:\/\/n8n\.\S+ Give all/,
			),
		]);
	});

	test('goes to a test until that is over, and to the next one', async () => {
		const { receive: get, asked } = newTrigger({ answer: () => ({ status: 404 }) });
		for (const [seconds, count] of [
			[-1, 0],
			[600, 1],
			[600, 1],
			[601, 2],
		] as const) {
			void get({ query: sharedWith({ ...OTHER, kind: 'test', expiresAt: now / 1000 + seconds }) });
			await settled();
			expect(asked).toHaveLength(count);
		}
	});

	test.each([
		['arrived', true, [0, 0, 0, 0, 1, 1, 1]],
		['was refused, too', false, [0, 0, 0, 0, 1, 2, 3]],
	])('and that one refuses is reported until the report %s', async (_, arrives, expected) => {
		const { receive: get, asked } = newTrigger({
			answer: (url) => (arrives && url === OWN_URL ? { status: 200, isTrigger: true } : { status: 403 }),
		});
		const reports: number[] = [];
		for (let count = 1; count <= 7; count++) {
			void get({ query: SHARED });
			await settled();
			reports.push(asked.filter((request) => request === `report ${OWN_URL}`).length);
		}
		expect(reports).toEqual(expected);
	});
});

describe('an event of another account', () => {
	const foreign = () => message({ account_id: 'account-2' });
	const accountIs = (id: string) => () => ({ statusCode: 200, body: { success: true, data: { id } } });
	const kept = { accountId: 'account-1' };

	test.each<[string, () => Response, Array<[number, number]>, number]>([
		[
			'is dropped once, and delivered again within the minute',
			accountIs('account-1'),
			[
				[0, 200],
				[1, 503],
			],
			1,
		],
		[
			'is dropped after each look',
			accountIs('account-1'),
			[
				[0, 200],
				[1_000, 200],
			],
			2,
		],
		[
			'is taken if the API key has that account by now',
			accountIs('account-2'),
			[
				[0, 200],
				[1, 200],
			],
			1,
		],
		[
			'is delivered again when the service fails',
			() => ({ statusCode: 500, body: {} }),
			[
				[0, 503],
				[1, 503],
			],
			2,
		],
		[
			'is delivered again when the service names no account',
			() => ({ statusCode: 200, body: { success: true, data: {} } }),
			[
				[0, 503],
				[1, 503],
			],
			1,
		],
	])('%s', async (_, response, deliveries, looks) => {
		const respond = jest.fn(response);
		const { receive: get } = newTrigger({ kept, respond });
		for (const [seconds, status] of deliveries) {
			now += seconds * 1_000;
			expect(await get({ body: foreign() })).toMatchObject({ status });
		}
		expect(respond).toHaveBeenCalledTimes(looks);
	});

	test('is taken if a new API key has that account, whatever was known of the one before', async () => {
		const service = { accountId: 'account-1' };
		const respond = () => accountIs(service.accountId)();
		const { receive: get, credential, executions } = newTrigger({ kept, respond });
		await get({ body: foreign() });
		executions.splice(0);
		service.accountId = 'account-2';
		const baseUrl = `https://new-key-${++events}.example.com`;
		credential.mockResolvedValue({ baseUrl, apiKey: 'new', signingSecret: SECRET });

		expect(await get({ body: foreign() })).toMatchObject({ status: 200 });
		expect(executions).toMatchObject([[{ account_id: 'account-2' }]]);
	});

	test('is told once an hour in an execution when it is dropped, and in the log', async () => {
		const { receive: get, executions, log } = newTrigger({ kept, respond: accountIs('account-1') });
		for (let count = 0; count < 3; count++, now += MINUTE) await get({ body: foreign() });
		expect(executions).toEqual([[{ former_account: 'account-2' }]]);
		expect([...new Set(log)]).toEqual([
			'Listens in workflow workflow: An event was dropped because it belongs to a different account than the API key in the credential',
		]);
	});

	test('is taken when the trigger does not know its own', async () => {
		const { receive: get, executions } = newTrigger();
		expect(await get({ body: foreign() })).toMatchObject({ status: 200 });
		expect(executions).toHaveLength(1);
	});
});

describe('deliveries that look like the service and cannot be verified', () => {
	const forged = { 'x-service-signature': '0'.repeat(64) };

	test('start one execution, which names the time of the first', async () => {
		const { receive: get, executions } = newTrigger();
		const unverified_since = new Date(now).toISOString();
		for (let count = 0; count < 20; count++, now += 1_000)
			expect(await get({ headers: forged })).toMatchObject({ status: 401 });
		expect(executions).toEqual([[{ unverified_since }]]);
	});

	test('start one when n8n cannot read the credential any more, and are delivered again', async () => {
		const { receive: get, executions, credential } = newTrigger();
		const unverified_since = new Date(now).toISOString();
		credential.mockRejectedValue(new Error('The credential does not exist'));
		for (let count = 0; count < 20; count++, now += 1_000) expect(await get()).toMatchObject({ status: 503 });
		expect(executions).toEqual([[{ unverified_since, reason: 'credential' }]]);
	});

	test('start none when n8n can read the credential in between', async () => {
		const { receive: get, executions, credential } = newTrigger();
		for (let count = 1; count < 9; count++) {
			if (count !== 5) credential.mockRejectedValueOnce(new Error('The database is busy'));
			expect(await get()).toMatchObject({ status: count === 5 ? 200 : 503 });
			now += 61_000;
		}
		expect(executions).toHaveLength(1);
		expect(executions[0]).not.toHaveProperty('unverified_since');
	});

	test('start none when one of them can be verified', async () => {
		const { receive: get, executions } = newTrigger();
		const verified = { body: message({ event: 'message.status' }) };
		for (let count = 1; count < 9; count++) await get(count === 5 ? verified : { headers: forged });
		expect(executions).toEqual([]);
	});

	test.each<[string, Request, IDataObject]>([
		['they are stale', { headers: { 'x-service-timestamp': String(SECONDS) } }, {}],
		['only their content type is wrong', { headers: { 'content-type': 'text/plain' } }, {}],
		['they name another account', { headers: forged }, { accountId: 'account-2' }],
		['they come to a test', { headers: forged, mode: 'manual' }, {}],
	])('start none when %s', async (_, request, kept) => {
		const { receive: get, executions } = newTrigger({ kept });
		for (let count = 1; count <= 5; count++) expect((await get(request)).status).toBeGreaterThan(400);
		expect(executions).toEqual([]);
	});
});
