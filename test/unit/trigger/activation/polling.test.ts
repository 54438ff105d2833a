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
	kept: IDataObject = {},
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
		kept,
	});
	return { ...trigger, result: activatePolling(activatedTriggerOf(trigger.context)), requests };
}

test.each<[WorkflowActivateMode, object, boolean]>([
	['init', { listeningSince: expect.any(Number) }, false],
	[
		'activate',
		{ listeningSince: expect.any(Number), accountId: 'account-1', accountKey: expect.any(String) },
		true,
	],
	['manual', {}, true],
])('at "%s", it keeps %j, and asks the service: %s', async (mode, expected, asks) => {
	const { result, kept, requests } = activate(mode);

	await result;
	expect(kept).toEqual({ ...expected, ...(mode !== 'manual' && { listeningTo: expect.anything() }) });
	expect(requests.length > 0).toBe(asks);
});

test.each([
	[{ accountId: 'account-1', accountKey: 'another' }, true],
	[{ accountId: undefined }, true],
	// The service has changed the ID.
	[{ accountId: 'account-2' }, true],
	[{ accountId: 'account-2', accountKey: 'another' }, false],
])('published again, where it polled %j before, it goes on from there: %s', async (before, goesOn) => {
	const { result, kept } = activate('activate');
	await result;
	Object.assign(kept, { listeningSince: 1, ...before });

	await activate('update', {}, [message], undefined, kept).result;

	expect(kept.listeningSince === 1).toBe(goesOn);
	expect(kept.accountId).toBe('account-1');
});

const ONLY_RECEIVED =
	"Polling finds only received messages. Select only 'Message Received' in 'Events', or set 'Listen By' to 'Webhook' to get the other events.";
test.each<[IDataObject, string]>([
	[{ pollInterval: 4 }, "'Poll Interval (Seconds)' is too small: 4. Enter 5 or more."],
	[{ 'options.catchUp': 'always' }, "'Catch Up (Minutes)' is not a number: 'always'. Enter a number."],
	[{ events: ['message.received', 'message.status'] }, ONLY_RECEIVED],
	[{ events: ['message.status'] }, ONLY_RECEIVED],
	[
		{ 'options.chats': 'Somebody' },
		"'Chats' contains neither a phone number with its country code nor a chat ID: 'Somebody'.",
	],
])('a trigger with %j is refused', async (settings, words) => {
	const { result, requests } = activate('activate', settings);

	await expect(result).rejects.toThrow(words);
	expect(requests).toEqual([]);
});

test.each<[string, object[], Answer, string[], string]>([
	[
		'there is no message',
		[],
		{ status: 200, isTrigger: true },
		[],
		'There is no received message to test with. Send a message to the account from another phone, then listen again. Filters of the trigger count here, too.',
	],
	[
		'nothing responds at its own URL',
		[message],
		undefined,
		[`reach ${OWN_URL}`],
		`n8n cannot reach its own URL ${OWN_URL} to start the test. Set n8n's environment variable N8N_WEBHOOK_URL`,
	],
])('a test does not begin if %s', async (_, messages, answer, expected, words) => {
	const { result, asked } = activate('manual', {}, messages as Array<typeof message>, () => answer);

	await expect(result).rejects.toThrow(words);
	expect(asked).toEqual(expected);
});
