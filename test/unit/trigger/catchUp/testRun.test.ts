import type { IDataObject, IHttpRequestOptions, IWebhookFunctions } from 'n8n-workflow';

import {
	endSilence,
	fetchAfterSilence,
	receiveWithoutEvent,
	requestTestRun,
} from '../../../../nodes/MessagingChannel/trigger/catchUp/testRun';
import {
	REQUEST_HEADER,
	RESPONSE_HEADER,
} from '../../../../nodes/MessagingChannel/trigger/sharing/internalRequest';
import type { ManualClock } from '../../../support/engine/manualClock';
import { activatedTriggerOf } from '../../../../nodes/MessagingChannel/trigger/delivery/trigger';
import { openDoor } from '../../../../nodes/MessagingChannel/trigger/delivery/door';
import { triggerOf } from '../activation/triggerOf';
import { triggerClockAt } from '../triggerClockAt';

const TEST_URL = 'https://n8n.example.com/webhook-test/own/webhook';

let clock: ManualClock;
beforeEach(() => {
	clock = triggerClockAt(Date.UTC(2030, 0, 31, 9));
});
afterEach(() => void jest.restoreAllMocks());

describe('n8n ends its wait for a test event', () => {
	/** A trigger, and its requests. */
	const watched = (settings: Omit<Parameters<typeof triggerOf>[0], 'baseUrl'>) => {
		const { context } = triggerOf({ baseUrl: 'https://service.example.com', ...settings });
		const requests: IHttpRequestOptions[] = [];
		const { httpRequest } = context.helpers;
		context.helpers.httpRequest = async (options) => {
			requests.push(options);
			return (await httpRequest(options)) as unknown;
		};
		const requested = () => requests.map(({ headers }) => headers?.[REQUEST_HEADER] as unknown);
		return { trigger: activatedTriggerOf(context), requests, requested };
	};
	/** Requests a run from what responds at the test URL. */
	const requestFrom = async (answer: () => { status: number; isTrigger?: boolean } | undefined) => {
		const { trigger, requests, requested: kinds } = watched({ answer });
		return { isReached: await requestTestRun(trigger.request, TEST_URL), requests, kinds };
	};

	test('after a request to its test URL, when it has registered that', async () => {
		const { isReached, requests, kinds } = await requestFrom(() => ({ status: 200, isTrigger: true }));
		expect(isReached).toBe(true);
		await clock.advance(499);
		expect(kinds()).toEqual(['reach']);
		await clock.advance(1);
		expect(kinds()).toEqual(['reach', 'fetch']);
		for (const request of requests)
			expect(request).toMatchObject({ method: 'POST', url: TEST_URL, timeout: 10_000 });
	});

	test.each([
		['no event came for 20 seconds', ['message.received'], 20_000, ['fetch']],
		['it has waited less', ['message.received'], 19_999, []],
		['no received message can be the event', ['message.sent'], 60_000, []],
	])('when %s', async (_, events, ms, kinds) => {
		const { trigger, requested } = watched({ parameters: { events } });
		fetchAfterSilence(trigger, TEST_URL);
		await clock.advance(ms);
		expect(requested()).toEqual(kinds);
		endSilence(TEST_URL);
		await clock.advance(60_000);
		expect(requested()).toEqual(kinds);
	});

	test.each([
		['nothing responds', undefined],
		['something else responds', { status: 200 }],
	])('and is not asked to if %s at its test URL', async (_, answer) => {
		const { isReached, kinds } = await requestFrom(() => answer);
		expect(isReached).toBe(false);
		await clock.advance(60_000);
		expect(kinds()).toEqual(['reach']);
	});
});

describe('a request to a trigger that polls', () => {
	interface Request {
		mode?: 'manual' | 'webhook';
		kind?: 'reach' | 'fetch';
		parameters?: IDataObject;
		status?: number;
		messages?: IDataObject[];
	}

	const message = { id: 'message-1', type: 'chat', body: 'Hello', from_me: false, timestamp: 1_896_000_000 };
	const chat = { id: '905551112233@c.us', type: 'individual', last_message_at: '2030-01-31T08:00:00Z' };

	const receive = async ({ mode = 'manual', kind, status = 200, ...request }: Request) => {
		const records: Record<string, unknown> = {
			account: { id: 'account-1' },
			chats: [chat],
			messages: request.messages ?? [message],
		};
		const { context } = triggerOf({
			baseUrl: 'https://service.example.com',
			parameters: request.parameters,
			respond: ({ url }) => ({
				statusCode: status,
				body:
					status === 200
						? { success: true, data: records[url.split('/').at(-1) ?? ''] }
						: { success: false, error: 'unauthorized' },
			}),
		});
		const response = { status: undefined as number | undefined, body: undefined as unknown, headers: {} };
		const responding = {
			setHeader: (name: string, value: string) => void Object.assign(response.headers, { [name]: value }),
			status: (code: number) => {
				response.status = code;
			},
			json: (body: unknown) => void (response.body = body),
			end: () => undefined,
		};
		const requested = {
			...context,
			getMode: () => mode,
			getNode: () => ({ id: 'node', name: 'Listens', parameters: { listen: 'poll' } }),
			getQueryData: () => ({}),
			getRequestObject: () => ({ headers: { [REQUEST_HEADER]: kind } }),
			getResponseObject: () => responding,
		};
		const result = await receiveWithoutEvent(await openDoor(requested as unknown as IWebhookFunctions));
		return { response, result };
	};
	const OF_TRIGGER = { [RESPONSE_HEADER]: '1' };

	test('finds nobody while no test runs', async () => {
		const { response, result } = await receive({ mode: 'webhook', kind: 'fetch' });
		expect(response).toEqual({ status: 404, body: { error: 'not_listening' }, headers: {} });
		expect(result).toEqual({ noWebhookResponse: true });
	});

	test.each([undefined, 'reach'] as const)('during a test reaches it (%s)', async (kind) => {
		const { response, result } = await receive({ kind });
		expect(response).toEqual({ status: 200, body: {}, headers: OF_TRIGGER });
		expect(result).toEqual({ noWebhookResponse: true });
	});

	test('during a test starts the workflow with the latest message', async () => {
		const { response, result } = await receive({ kind: 'fetch' });
		expect(response).toEqual({ headers: OF_TRIGGER });
		const json = {
			event: 'message.received',
			account_id: 'account-1',
			chat: { id: chat.id, phone: '905551112233', type: 'individual' },
			message,
			event_id: 'message message-1',
			delivered_at: '2030-01-31T09:00:00.000Z',
			fetched: true,
		};
		expect(result).toEqual({ workflowData: [[{ json }]] });
	});

	test.each<[string, Request]>([
		['there is no message', { messages: [] }],
		['no message passes the filters', { parameters: { 'options.chatType': 'group' } }],
		['the service refuses the API key', { status: 401 }],
	])('during a test fails if %s', async (_, request) => {
		const { response, result } = await receive({ kind: 'fetch', ...request });
		expect(response).toEqual({ status: 503, body: { error: 'no_message' }, headers: OF_TRIGGER });
		expect(result).toEqual({ noWebhookResponse: true });
	});
});
