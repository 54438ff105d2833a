import type { IDataObject } from 'n8n-workflow';

import type { Client } from '../../../nodes/MessagingChannel/api/client';
import { answerKeyOf, answerTagOf } from '../../../nodes/MessagingChannel/sendAndWait/inChat/answerKey';
import { requireAnswerReceiver } from '../../../nodes/MessagingChannel/sendAndWait/inChat/answerReceivers';
import { clock } from '../../../nodes/MessagingChannel/trigger/account/clock';
import { publishedTriggerOf } from '../../../nodes/MessagingChannel/trigger/delivery/trigger';
import { startTriggerLoops } from '../../../nodes/MessagingChannel/trigger/triggerLoops';
import { NO_WEBHOOK, triggerOf } from './activation/triggerOf';

/** The waits that nothing has ended, in milliseconds. */
const waits: number[] = [];
beforeEach(() => {
	waits.length = 0;
	jest.spyOn(clock, 'sleep').mockImplementation(
		async (ms, signal) =>
			await new Promise((_, reject) => {
				waits.push(ms);
				signal?.addEventListener('abort', () => {
					waits.splice(waits.indexOf(ms), 1);
					reject(new Error('It is over'));
				});
			}),
	);
});
afterEach(() => void jest.restoreAllMocks());

const REPAIR = 60_000;
const CATCH_UP = 30_000;

let triggers = 0;

/** Starts a trigger with these settings. */
function start(parameters: IDataObject, mode = 'trigger') {
	const requests: string[] = [];
	const { context } = triggerOf({
		baseUrl: `https://loops-${++triggers}.example.com`,
		parameters,
		respond: ({ url }) => {
			requests.push(String(url.split('/').at(-1)));
			return NO_WEBHOOK;
		},
	});
	const node = { ...context, getMode: () => mode, getWorkflow: () => ({ id: `workflow-${triggers}` }) };
	const response = startTriggerLoops(publishedTriggerOf(node as unknown as typeof context));
	return { response, end: async () => await response.closeFunction?.(), requests };
}

/** The rest of what a trigger does at once. */
const settled = async () => {
	for (let round = 0; round < 20; round++) await new Promise(setImmediate);
};

test.each<[string, IDataObject, number[]]>([
	['its webhook and missed messages', {}, [REPAIR, CATCH_UP]],
	['its webhook alone, when missed messages are not wanted', { 'options.catchUp': 0 }, [REPAIR]],
	['its webhook alone, when it gets no messages', { events: ['message.sent'] }, [REPAIR]],
])('a published trigger looks after %s, until n8n ends it', async (_, parameters, expected) => {
	const { end } = start(parameters);
	await settled();
	expect(waits).toEqual(expected);

	await end();
	expect(waits).toEqual([]);
});

test('a test does nothing without a delivery', async () => {
	const { response, requests } = start({ listen: 'poll' }, 'manual');
	await settled();
	expect(response).toEqual({});
	expect([waits, requests]).toEqual([[], []]);
});

test('a trigger that polls asks the service at once, and leaves the webhook alone', async () => {
	const { end, requests } = start({ listen: 'poll' });
	await settled();
	expect(requests[0]).toBe('account');
	expect(requests).not.toContain('webhook');
	expect(waits).not.toContain(REPAIR);
	await end();
	expect(waits).toEqual([]);
});

describe('a question in the chat finds a trigger that polls', () => {
	/** The account has no webhook. */
	const client = { call: async () => await Promise.resolve(NO_WEBHOOK.body) } as unknown as Client;
	/** Fails if no trigger takes answers. */
	const ask = async () =>
		await requireAnswerReceiver(
			client,
			answerTagOf(answerKeyOf({ apiKey: 'key' })),
			'https://n8n.example.com/webhook-waiting',
		);

	test('while n8n runs it', async () => {
		const { end } = start({ listen: 'poll', 'options.takeAnswers': true });
		await expect(ask()).resolves.toBeUndefined();

		await end();
		await expect(ask()).rejects.toThrow('cannot be used');
	});

	test('only if it takes answers', async () => {
		const { end } = start({ listen: 'poll' });
		await expect(ask()).rejects.toThrow('cannot be used');
		await end();
	});
});
