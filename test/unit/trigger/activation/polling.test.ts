import type { IHookFunctions, IHttpRequestOptions, WorkflowActivateMode } from 'n8n-workflow';

import { activatePolling } from '../../../../nodes/MessagingChannel/trigger/activation/polling';
import { clock } from '../../../../nodes/MessagingChannel/trigger/delivery/state';
import { RESPONSE_HEADER } from '../../../../nodes/MessagingChannel/trigger/sharing/internalRequest';
import { answer } from '../../api/scripted';

// The request that has a message fetched comes later, and is not made here.
beforeEach(() => void jest.spyOn(clock, 'sleep').mockReturnValue(new Promise(() => undefined)));
afterEach(() => jest.restoreAllMocks());

const testUrl = 'https://n8n.example/webhook-test/1/webhook';
const message = { id: 'message-1', type: 'chat', body: 'Hello', from_me: false, timestamp: 1_896_000_000 };
const chat = { id: '905551112233@c.us', type: 'individual', last_message_at: '2030-01-31T09:00:00Z' };

/** Activates a trigger that polls an account with these messages. */
function activate(
	mode: WorkflowActivateMode,
	parameters: Record<string, unknown> = {},
	messages = [message],
) {
	const all: Record<string, unknown> = { events: ['message.received'], ...parameters };
	const records: Record<string, object> = { account: { id: 'account-1' }, chats: [chat], messages };
	const kept: Record<string, unknown> = {};
	const requests: string[] = [];
	const requestsToN8n: string[] = [];
	const context = {
		getCredentials: async () => await Promise.resolve({ baseUrl: 'https://service.example', apiKey: 'key' }),
		getActivationMode: () => mode,
		getNode: () => ({ id: 'node', name: 'Listens', parameters: { listen: 'poll', ...all } }),
		getNodeParameter: (name: string, fallback: unknown) => all[name] ?? fallback,
		getNodeWebhookUrl: () => testUrl,
		getWorkflowStaticData: () => kept,
		helpers: {
			httpRequestWithAuthentication: async (_: string, { url }: IHttpRequestOptions) => {
				const path = new URL(url).pathname.split('/').at(-1) ?? '';
				requests.push(path);
				return await Promise.resolve(answer(200, { success: true, data: records[path] }));
			},
			httpRequest: async ({ url }: IHttpRequestOptions) => {
				requestsToN8n.push(url);
				return await Promise.resolve(answer(200, {}, { [RESPONSE_HEADER]: '1' }));
			},
		},
	} as unknown as IHookFunctions;
	return { result: activatePolling(context), kept, requests, requestsToN8n };
}

test('at a start of n8n, a trigger begins without a request', async () => {
	const { result, kept, requests } = activate('init');

	expect(await result).toBe(true);
	expect(requests).toEqual([]);
	expect(kept).toMatchObject({ listeningSince: expect.any(Number) });
});

test('the shortest interval is allowed', async () => {
	const { result, kept } = activate('activate', { pollInterval: 5 });

	expect(await result).toBe(true);
	expect(kept).toMatchObject({ accountId: 'account-1', listeningSince: expect.any(Number) });
});

test('a single event that polling cannot find is refused', async () => {
	const { result, requests } = activate('activate', { events: ['message.status'] });

	await expect(result).rejects.toThrow('Polling finds only received messages');
	expect(requests).toEqual([]);
});

describe('a test', () => {
	test('begins with a request to its own URL, and keeps nothing', async () => {
		const { result, kept, requestsToN8n } = activate('manual');

		expect(await result).toBe(true);
		expect(requestsToN8n).toEqual([testUrl]);
		expect(kept).toEqual({});
	});

	test('does not begin without a message', async () => {
		const { result, requestsToN8n } = activate('manual', {}, []);

		await expect(result).rejects.toThrow('There is no received message to test with');
		expect(requestsToN8n).toEqual([]);
	});
});
