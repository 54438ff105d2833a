import type { IHttpRequestOptions } from 'n8n-workflow';

import { activate, deactivate } from '../../../../nodes/MessagingChannel/trigger/activation/activation';
import { clock } from '../../../../nodes/MessagingChannel/trigger/account/clock';
import { ownTriggerAt } from '../../../../nodes/MessagingChannel/trigger/account/ownTriggers';
import { createCombiner } from '../../../../nodes/MessagingChannel/trigger/combining/combiner';
import { stateOf } from '../../../../nodes/MessagingChannel/trigger/delivery/state';
import { activatedTriggerOf } from '../../../../nodes/MessagingChannel/trigger/delivery/trigger';
import { NO_WEBHOOK, OWN_URL, serviceWith, triggerOf, webhookOf, workflow, type Response } from './triggerOf';

const TAKEN = { statusCode: 200, body: { success: true, data: { url: 'https://crm.example.com/events' } } };

afterEach(() => jest.restoreAllMocks());

let services = 0;

/** A trigger at a service of which this process knows nothing yet. */
function newTrigger(options: Partial<Parameters<typeof triggerOf>[0]> = {}) {
	const baseUrl = `https://service-${++services}.example.com`;
	const { context, ...trigger } = triggerOf({ baseUrl, mode: 'activate', ...options });
	return { ...trigger, trigger: activatedTriggerOf(context) };
}

test('when n8n starts, the next triggers wait a second for a service that does not respond, until it does', async () => {
	const baseUrl = 'https://silent.example.com';
	let isSilent = true;
	const limits: number[] = [];
	jest.spyOn(clock, 'sleep').mockImplementation(async (ms) => {
		limits.push(ms);
		if (!isSilent) await new Promise(() => undefined);
	});
	const unanswered: Array<(response: Response) => void> = [];
	const start = async (
		respond = async () => await new Promise<Response>((resolve) => unanswered.push(resolve)),
	) => await activate(newTrigger({ baseUrl, mode: 'init', respond }).trigger);

	await start();
	isSilent = false;
	await expect(start(async () => await Promise.resolve(TAKEN))).rejects.toThrow('already points to');
	isSilent = true;
	await start();
	// Ends wait at most half a minute from then on, however many there are.
	expect(limits).toEqual([10_000, 30_000, 1_000, 1_000, 30_000]);

	for (const answer of unanswered) answer(NO_WEBHOOK);
	await new Promise(setImmediate);
	await start();
	expect(limits.slice(5)).toEqual([10_000, 30_000]);
});

test.each([
	['waits for a change of the start that is still on its way', true],
	['does not wait for ever', false],
])('unpublishing %s', async (_, isMade) => {
	const service = serviceWith(null);
	let noteSent: () => void = () => undefined;
	const sent = new Promise<void>((resolve) => (noteSent = resolve));
	let make: () => void = () => undefined;
	const made = new Promise<void>((resolve) => (make = resolve));
	jest.spyOn(clock, 'sleep').mockImplementation(async (ms) => {
		if (ms === 10_000) await sent;
		else if (isMade) await new Promise(() => undefined);
	});
	const respond = async (options: IHttpRequestOptions) => {
		if (options.method === 'POST') {
			noteSent();
			await made;
		}
		return service.respond(options);
	};
	const { trigger } = newTrigger({ mode: 'init', respond });
	await activate(trigger);

	const unpublished = deactivate(trigger);
	await new Promise(setImmediate);
	if (isMade) make();

	expect(await unpublished).toBe(true);
	const changes = isMade ? ['POST webhooks', 'GET webhooks', 'DELETE webhooks'] : ['GET webhooks'];
	expect(service.requests).toEqual(['GET webhooks', ...changes]);
});

test('the URL of the n8n from which this one was copied is forgotten, although the activation fails', async () => {
	const respond = () => ({ statusCode: 401, body: { error: 'invalid_api_key' } });
	const { trigger, kept } = newTrigger({ kept: { webhookUrl: 'https://original.example.com/w' }, respond });

	await expect(activate(trigger)).rejects.toMatchObject({ httpCode: '401' });

	expect(kept).not.toHaveProperty('webhookUrl');
});

test('what waits for more messages of its chat stays when a test of its trigger ends', async () => {
	jest.spyOn(clock, 'sleep').mockReturnValue(new Promise(() => undefined));
	const { trigger } = newTrigger({
		kept: { webhookUrl: 'https://n8n.example.com/webhook/published/webhook' },
		respond: serviceWith(null).respond,
	});
	const event = { item: { json: {} }, isWanted: true, bytes: 1, settle: () => undefined };
	let isGone = false;
	// That of another test has the clock of that test.
	const combiner = createCombiner(clock);
	jest.replaceProperty(stateOf(trigger), 'combiner', combiner);
	void combiner.perChat('chat', event, { silenceMs: 3_000, maxWaitMs: 14_000 }).then(() => (isGone = true));

	await deactivate(trigger);

	await new Promise(setImmediate);
	expect(isGone).toBe(false);
});

test('a trigger that cannot catch up so far back is refused before anything changes', async () => {
	const { requests, respond } = serviceWith(null);
	const { trigger } = newTrigger({ parameters: { 'options.catchUp': -1 }, respond });

	await expect(activate(trigger)).rejects.toThrow("'Catch Up (Minutes)' is too small: -1.");

	expect(requests).toEqual([]);
});

test('this n8n knows the workflow at the URL of a trigger by its name until it is unpublished', async () => {
	const { trigger } = newTrigger({ respond: serviceWith(null).respond });

	await activate(trigger);
	expect(ownTriggerAt(OWN_URL).workflowName).toBe('Support');
	await deactivate(trigger);
	expect(ownTriggerAt(OWN_URL).workflowName).toBeUndefined();
});

test('a trigger joins without workflows of its n8n that are gone', async () => {
	jest.spyOn(clock, 'sleep').mockImplementation(async (ms) => {
		if (ms > 1_000) await new Promise(() => undefined);
	});
	const answer = (url: string) => {
		const path = url.split('/').slice(-2).join('/');
		return { status: 404, body: { message: `The requested webhook "POST ${path}" is not registered.` } };
	};
	const gone = ['one', 'two'].map((id) => workflow(`https://n8n.example.com/webhook/${id}/webhook`));
	const service = serviceWith(webhookOf(gone));

	await activate(newTrigger({ respond: service.respond, answer }).trigger);

	expect(service.webhook?.url).toBe(OWN_URL);
});
