import type { IHttpRequestOptions } from 'n8n-workflow';

import { activate, deactivate } from '../../../../nodes/MessagingChannel/trigger/activation/activation';
import { clock } from '../../../../nodes/MessagingChannel/trigger/account/clock';
import { ownTriggerAt } from '../../../../nodes/MessagingChannel/trigger/account/ownTriggers';
import { createCombiner } from '../../../../nodes/MessagingChannel/trigger/combining/combiner';
import { stateOf } from '../../../../nodes/MessagingChannel/trigger/delivery/state';
import {
	CRM,
	HUB,
	newTrigger,
	NO_WEBHOOK,
	OWN_URL,
	serviceWith,
	webhookOf,
	workflow,
	type Response,
} from './triggerOf';

const TAKEN = { statusCode: 200, body: { success: true, data: { url: 'https://crm.example.com/events' } } };

beforeEach(() => {
	jest.spyOn(clock, 'sleep').mockImplementation(async (ms) => {
		if (ms > 1_000) await new Promise(() => undefined);
	});
});
afterEach(() => jest.restoreAllMocks());

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

	const [first, ...others] = unanswered;
	first?.(NO_WEBHOOK);
	await new Promise(setImmediate);
	await start();
	expect(limits.slice(5)).toEqual([1_000, 30_000]);

	for (const answer of [...others, unanswered.at(-1)]) answer?.(NO_WEBHOOK);
	await new Promise(setImmediate);
	await start();
	expect(limits.slice(7)).toEqual([10_000, 30_000]);
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

	await unpublished;
	const changes = isMade ? ['POST webhooks', 'GET webhooks', 'DELETE webhooks'] : ['GET webhooks'];
	expect(service.requests).toEqual(['GET webhooks', ...changes]);
});

test.each([
	['of the n8n from which this one was copied is forgotten', 'https://original.example.com/w', undefined],
	['of this one is kept', OWN_URL, OWN_URL],
])('if the activation fails, the URL %s', async (_, webhookUrl, after) => {
	const respond = () => ({ statusCode: 401, body: { error: 'invalid_api_key' } });
	const { trigger, kept } = newTrigger({ kept: { webhookUrl }, respond });

	await expect(activate(trigger)).rejects.toMatchObject({
		httpCode: '401',
		message: expect.stringContaining('Open the credential'),
	});

	expect(kept.webhookUrl).toBe(after);
});

test.each([
	['a test of its trigger', 'https://n8n.example.com/webhook/published/webhook', false],
	['its trigger', OWN_URL, true],
])('what waits for more messages of its chat goes when %s ends: %#', async (_, webhookUrl, goes) => {
	const { trigger } = newTrigger({
		kept: { webhookUrl },
		respond: serviceWith(null).respond,
	});
	const event = { item: { json: {} }, isWanted: true, bytes: 1, settle: () => undefined };
	let isGone = false;
	// That of another test has the clock of that test.
	const combiner = createCombiner({
		...clock,
		sleep: async (_, stopped) =>
			await new Promise((_, reject) => void stopped?.addEventListener('abort', reject)),
	});
	jest.replaceProperty(stateOf(trigger), 'combiner', combiner);
	void combiner.perChat('chat', event, { silenceMs: 3_000, maxWaitMs: 14_000 }).then(() => (isGone = true));

	await deactivate(trigger);

	await new Promise(setImmediate);
	expect(isGone).toBe(goes);
});

test.each([
	[
		'that cannot catch up so far back',
		{ parameters: { 'options.catchUp': -1 } },
		"'Catch Up (Minutes)' is too small: -1.",
	],
	['without a secret', { secret: '' }, "The credential has no 'Signing Secret'"],
	[
		'that the service cannot reach',
		{ ownUrl: 'http://own.example.com/webhook/own/webhook' },
		"does not start with 'https'",
	],
])('a trigger %s is refused before anything changes', async (_, options, words) => {
	const { requests, respond } = serviceWith(null);

	await expect(activate(newTrigger({ ...options, respond }).trigger)).rejects.toThrow(words);

	expect(requests).toEqual([]);
});

test('a trigger that is not on the list leaves it as it is when it ends', async () => {
	const service = serviceWith(webhookOf([HUB, CRM], 'old'));
	const { trigger, kept } = newTrigger({
		respond: service.respond,
		kept: { accountKey: 'of another account' },
	});
	await deactivate(trigger);
	expect(service.changedTo).toBeUndefined();
	// That key may give the webhook back later.
	expect(kept.accountKey).toBe('of another account');
});

test.each([
	['a page that is not there', 404, {}, true],
	['what is not there', 404, { error: 'not_found' }, false],
	['a page that is forbidden', 403, {}, false],
	['a certificate that has expired', 0, {}, true],
])('a start is told of %s, and goes on: %s', async (_, statusCode, body, goesOn) => {
	const respond = () => {
		if (statusCode === 0) throw Object.assign(new Error('expired'), { code: 'CERT_HAS_EXPIRED' });
		return { statusCode, body };
	};
	const { trigger } = newTrigger({ mode: 'init', respond });
	const ended = await activate(trigger).then(
		() => true,
		() => false,
	);
	expect(ended).toBe(goesOn);
});

test('this n8n knows the workflow at the URL of a trigger by its name until it is unpublished', async () => {
	const { trigger } = newTrigger({ respond: serviceWith(null).respond });

	await activate(trigger);
	expect(ownTriggerAt(OWN_URL).workflowName).toBe('Support');
	await deactivate(trigger);
	expect(ownTriggerAt(OWN_URL).workflowName).toBeUndefined();
});

test('a publication that n8n gave up waiting for, and that fails in the end, changes nothing of the one after it', async () => {
	let fail = (): void => undefined;
	const late = new Promise<Response>((resolve) => {
		fail = () => resolve({ statusCode: 401, body: { error: 'invalid_api_key' } });
	});
	const publish = (respond: (options: IHttpRequestOptions) => Response | Promise<Response>) =>
		newTrigger({ parameters: { listen: 'poll' }, respond }).trigger;
	const first = activate(publish(async () => await late));
	const trigger = publish(({ url }) => ({
		statusCode: 200,
		body: { success: true, data: url.endsWith('/account') ? { id: 'account-1' } : [] },
	}));
	await activate(trigger);

	fail();

	await expect(first).rejects.toThrow();
	expect(stateOf(trigger).isRefused).toBe(false);
});

test('a trigger joins without workflows of its n8n that are gone', async () => {
	const answer = (url: string) => {
		const path = url.split('/').slice(-2).join('/');
		return { status: 404, body: { message: `The requested webhook "POST ${path}" is not registered.` } };
	};
	const gone = ['one', 'two'].map((id) => workflow(`https://n8n.example.com/webhook/${id}/webhook`));
	const service = serviceWith(webhookOf(gone));

	await activate(newTrigger({ respond: service.respond, answer }).trigger);

	expect(service.webhook?.url).toBe(OWN_URL);
});
