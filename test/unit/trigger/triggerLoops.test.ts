import type { ITriggerFunctions } from 'n8n-workflow';

import type { Client } from '../../../nodes/MessagingChannel/api/client';
import { requireAnswerReceiver } from '../../../nodes/MessagingChannel/sendAndWait/inChat/answerReceivers';
import { answerKeyOf, answerTagOf } from '../../../nodes/MessagingChannel/sendAndWait/inChat/answerKey';
import { stateOf } from '../../../nodes/MessagingChannel/trigger/delivery/state';
import {
	activatedTriggerOf,
	publishedTriggerOf,
} from '../../../nodes/MessagingChannel/trigger/delivery/trigger';
import { startTriggerLoops } from '../../../nodes/MessagingChannel/trigger/triggerLoops';
import { NO_WEBHOOK, OWN_URL, triggerOf } from './activation/triggerOf';
import { triggerClockAt } from './triggerClockAt';
import { NOW } from './deliveries';

beforeEach(() => void triggerClockAt(NOW));
afterEach(() => void jest.restoreAllMocks());

/** A trigger that takes answers, and what it asks the service. */
function triggerWith(settings = {}, listen = 'poll') {
	const parameters = { listen, options: { takeAnswers: true }, 'options.takeAnswers': true };
	const requests: string[] = [];
	const { context, credential, log } = triggerOf({
		baseUrl: 'https://loops.example.com',
		parameters,
		kept: { webhookUrl: OWN_URL },
		respond: ({ method, url }) => {
			requests.push(`${method} ${url}`);
			return NO_WEBHOOK;
		},
	});
	const running = {
		...context,
		getNode: () => ({ id: 'node', name: 'Listens', parameters }),
		getWorkflowSettings: () => settings,
		getMode: () => 'trigger',
		logger: { ...context.logger, error: (line: string) => void log.push(line) },
	} as unknown as ITriggerFunctions;
	/** Whether a question can be asked. */
	const takesAnswers = async () => {
		const client = { call: async () => await Promise.resolve({ data: null }) } as Pick<
			Client,
			'call'
		> as Client;
		return await requireAnswerReceiver(client, answerTagOf(answerKeyOf(credential)), OWN_URL).then(
			() => true,
			() => false,
		);
	};
	const start = () => startTriggerLoops(publishedTriggerOf(running));
	return { start, takesAnswers, log, requests, state: stateOf(activatedTriggerOf(context)) };
}

test('a trigger that polls takes answers until n8n ends it, unless it could not be published', async () => {
	const { start, takesAnswers, state } = triggerWith();
	const { closeFunction } = start();
	expect(await takesAnswers()).toBe(true);
	state.isRefused = true;
	expect(await takesAnswers()).toBe(false);
	state.isRefused = false;
	await closeFunction?.();
	expect(await takesAnswers()).toBe(false);
});

test("in n8n's Engine 2.0, a trigger with the webhook looks after it all the same", async () => {
	const clock = triggerClockAt(NOW);
	const { start, requests } = triggerWith({ engineType: 'v2' }, 'webhook');
	const { closeFunction } = start();
	await clock.advance(60_000);
	expect(requests).toEqual(expect.arrayContaining([expect.stringMatching(/^GET .*webhook/)]));
	await closeFunction?.();
});

test("in n8n's Engine 2.0, a trigger that polls does nothing, and the log says so", async () => {
	const { start, takesAnswers, log } = triggerWith({ engineType: 'v2' });
	const { closeFunction } = start();
	expect(await takesAnswers()).toBe(false);
	expect(log).toEqual([expect.stringContaining("Listens: The workflow is set to n8n's Engine 2.0")]);
	await expect(closeFunction?.()).resolves.toBeUndefined();
});
