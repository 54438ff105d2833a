import type { IDataObject, WorkflowActivateMode } from 'n8n-workflow';

import { activatePolling } from '../../../../nodes/MessagingChannel/trigger/activation/polling';
import { clock } from '../../../../nodes/MessagingChannel/trigger/account/clock';
import { activatedTriggerOf } from '../../../../nodes/MessagingChannel/trigger/delivery/trigger';
import { OWN_URL, triggerOf, type Answer } from './triggerOf';

// The request that has a message fetched comes later, and is not made here.
beforeEach(() => void jest.spyOn(clock, 'sleep').mockReturnValue(new Promise(() => undefined)));
afterEach(() => jest.restoreAllMocks());

const message = { id: 'message-1', type: 'chat', body: 'Hello', from_me: false, timestamp: 1_896_000_000 };
const chat = { id: '905551112233@c.us', type: 'individual', last_message_at: '2030-01-31T09:00:00Z' };

/** Activates a trigger that polls an account with these messages. */
function activate(
	mode: WorkflowActivateMode,
	more: IDataObject = {},
	messages = [message],
	answer: () => Answer = () => ({ status: 200, isTrigger: true }),
) {
	const records: Record<string, object> = { account: { id: 'account-1' }, chats: [chat], messages };
	const requests: string[] = [];
	const trigger = triggerOf({
		baseUrl: 'https://service.example',
		mode,
		parameters: { events: ['message.received'], listen: 'poll', ...more },
		respond: ({ url }) => {
			const path = new URL(url).pathname.split('/').at(-1) ?? '';
			requests.push(path);
			return { statusCode: 200, body: { success: true, data: records[path] } };
		},
		answer,
	});
	return { ...trigger, result: activatePolling(activatedTriggerOf(trigger.context)), requests };
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

test.each<[string, IDataObject, string, string]>([
	[
		'the interval is shorter',
		{ pollInterval: 4 },
		"'Poll Interval (Seconds)' is too small: 4",
		'Enter 5 or more.',
	],
	[
		'the interval is longer than a day',
		{ pollInterval: 3_600_000 },
		"'Poll Interval (Seconds)' is too large: 3600000",
		'Enter 86400 or less.',
	],
	[
		'the time to catch up is no number',
		{ 'options.catchUp': 'always' },
		"'Catch Up (Minutes)' is not a number: 'always'",
		'Enter a number.',
	],
	[
		'there is another event',
		{ events: ['message.received', 'message.status'] },
		'Polling finds only received messages',
		"Select only 'Message Received' in 'Events', or set 'Listen By' to 'Webhook' to get the other events.",
	],
	[
		'a chat is no number',
		{ 'options.chats': 'Somebody' },
		"'Chats' contains neither a phone number nor a chat ID: 'Somebody'",
		'Enter a phone number with its country code',
	],
])('a trigger is refused when %s', async (_, settings, message, advice) => {
	const { result, requests } = activate('activate', settings);

	await expect(result).rejects.toThrow(`${message}. ${advice}`);
	expect(requests).toEqual([]);
});

test('a single event that polling cannot find is refused', async () => {
	const { result, requests } = activate('activate', { events: ['message.status'] });

	await expect(result).rejects.toThrow('Polling finds only received messages');
	expect(requests).toEqual([]);
});

describe('a test', () => {
	test('begins with a request to its own URL, and keeps nothing', async () => {
		const { result, kept, asked } = activate('manual');

		expect(await result).toBe(true);
		expect(asked).toEqual([`reach ${OWN_URL}`]);
		expect(kept).toEqual({});
	});

	test('does not begin without a message', async () => {
		const { result, asked } = activate('manual', {}, []);

		await expect(result).rejects.toThrow(
			'There is no received message to test with. Send a message to the account from another phone, then listen again. Filters of the trigger count here, too.',
		);
		expect(asked).toEqual([]);
	});

	test.each<[string, Answer]>([
		['nothing responds', undefined],
		['something else responds', { status: 200 }],
	])('does not begin when %s at its own URL', async (_, answer) => {
		const { result } = activate('manual', {}, [message], () => answer);

		await expect(result).rejects.toThrow(
			`n8n cannot reach its own URL ${OWN_URL} to start the test. Set n8n's environment variable N8N_WEBHOOK_URL`,
		);
	});
});
