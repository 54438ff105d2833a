import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { ApiRequest } from '../../../nodes/MessagingChannel/api/apiRequest';
import type { Clock } from '../../../nodes/MessagingChannel/api/clock';
import { SEND_MESSAGE } from '../../../nodes/MessagingChannel/api/endpoints';
import { waitingExecutionOf } from '../../../nodes/MessagingChannel/n8n/waitingExecution';
import type { Input } from '../../../nodes/MessagingChannel/operation/input';
import { sendAndWaitInteraction } from '../../../nodes/MessagingChannel/sendAndWait/interaction';

const NOW = 1_900_000_000_000;

const node = { name: 'Ask' };

/** What n8n gives the node, besides these parts. */
const contextWith = (parts: object = {}) => {
	const shared: IDataObject = {};
	return {
		getNode: () => node,
		getExecuteData: () => ({ node }),
		getInputData: () => [{ json: {} }],
		getWorkflowDataProxy: () => ({ $runIndex: 0 }),
		getExecutionId: () => '1',
		getSignedResumeUrl: () => 'https://n8n.example.com/webhook-waiting/1/node?signature=a',
		getCredentials: async () => await Promise.resolve({ apiKey: 'key' }),
		getContext: () => shared,
		...parts,
	} as unknown as IExecuteFunctions;
};

const ask = async (context: IExecuteFunctions, settings: IDataObject = {}, to = '905551112233') => {
	const input = {
		parameters: { to, message: 'Ship it?' },
		settings: { responseType: 'approval', ...settings },
	} as unknown as Input;
	const request: ApiRequest = { endpoint: SEND_MESSAGE, parameters: input.parameters };
	return await sendAndWaitInteraction(waitingExecutionOf(context), input, request);
};

test('an n8n that verifies the signature of a link only on request is asked to', async () => {
	const setSignatureValidationRequired = jest.fn();

	await ask(contextWith({ setSignatureValidationRequired }));

	expect(setSignatureValidationRequired).toHaveBeenCalledTimes(1);
});

test.each([
	['as its tool', { isToolExecution: (): boolean => true }],
	['and n8n does not say so', { getExecuteData: () => ({ node: { name: 'AI Agent' } }) }],
	[
		'and n8n says no',
		{ isToolExecution: (): boolean => false, getExecuteData: () => ({ node: { name: 'Agent' } }) },
	],
])('a node that another one calls, %s, cannot wait', async (_, parts) => {
	await expect(ask(contextWith(parts))).rejects.toMatchObject({
		message: "'Operation' cannot wait for a response here",
		description: 'Ask with an AI Agent of version 3 or later that is not a tool itself.',
	});
});

test('a node that runs by itself can wait, whatever n8n says about tools', async () => {
	await expect(ask(contextWith({ isToolExecution: (): boolean => false }))).resolves.toBeDefined();
	await expect(ask(contextWith())).resolves.toBeDefined();
});

test.each(['120363000000000000', '120363000000000000@g.us', '905551112233-1600000000@g.us'])(
	'the group %s can have allowed responders',
	async (to) => {
		const settings = { answerInChat: true, allowedResponders: ['905550000001'] };
		await expect(ask(contextWith(), settings, to)).resolves.toBeDefined();
	},
);

test('without an API key, no answer in the chat would count, so the question is refused', async () => {
	const context = contextWith({ getCredentials: async () => await Promise.resolve({ apiKey: ' ' }) });

	await expect(ask(context, { answerInChat: true })).rejects.toMatchObject({
		message: "'Answer in Chat' cannot be used without an API key in the credential",
	});
	await expect(ask(context)).resolves.toBeDefined();
});

test('a time limit that ends just when the message would be sent is over', async () => {
	const limitWaitTime = { limitType: 'atSpecifiedTime', maxDateAndTime: new Date(NOW).toISOString() };
	const { request } = await ask(contextWith(), { limitWaitTime });

	expect(() => request.beforeAttempt?.(NOW - 1)).not.toThrow();
	expect(() => request.beforeAttempt?.(NOW)).toThrow(
		"'Limit Wait Time' was over before the message could be sent",
	);
});

test.each([
	['has just expired', 0, []],
	['expired long ago', -3_600_000, []],
	['is about to expire', 1, [1]],
])('a timer of an earlier question that %s is waited for as long as it lives', async (_, leftMs, waits) => {
	const slept: number[] = [];
	const sleep = async (ms: number) => await Promise.resolve(void slept.push(ms));
	const clock = { now: () => NOW, sleep } as Pick<Clock, 'now' | 'sleep'> as Clock;
	// n8n's database may take five seconds.
	const messagingChannelDeadline = NOW - 5_000 + leftMs;
	const { ready } = await ask(contextWith({ getContext: () => ({ messagingChannelDeadline }) }));

	await ready?.(clock);

	expect(slept).toEqual(waits);
});
