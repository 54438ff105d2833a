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

describe('when n8n starts', () => {
	test('the next triggers wait a second for a service that does not respond, until it does', async () => {
		const baseUrl = 'https://silent.example.com';
		let isSilent = true;
		const limits: number[] = [];
		jest.spyOn(clock, 'sleep').mockImplementation(async (ms) => {
			limits.push(ms);
			if (!isSilent) await new Promise(() => undefined);
		});
		const unanswered: Array<(response: Response) => void> = [];
		const start = async () => {
			const respond = async () => await new Promise<Response>((resolve) => unanswered.push(resolve));
			await activate(activatedTriggerOf(triggerOf({ baseUrl, respond }).context));
		};

		await start();
		isSilent = false;
		await expect(
			activate(activatedTriggerOf(triggerOf({ baseUrl, respond: () => TAKEN }).context)),
		).rejects.toThrow('already points to');
		isSilent = true;
		await start();
		expect(limits).toEqual([10_000, 1_000, 1_000]);

		for (const answer of unanswered) answer(NO_WEBHOOK);
		await new Promise(setImmediate);
		await start();
		expect(limits).toEqual([10_000, 1_000, 1_000, 10_000]);
	});

	test('a service behind a proxy that refuses the request is told', async () => {
		const respond = () => ({ statusCode: 403, body: '<html>Forbidden</html>' });
		const { context, log } = triggerOf({ baseUrl: 'https://refused.example.com', respond });

		await expect(activate(activatedTriggerOf(context))).rejects.toMatchObject({ httpCode: '403' });

		expect(log).toEqual([]);
	});

	test('a trigger has listened since it was published', async () => {
		const baseUrl = 'https://again.example.com';
		const now = jest.spyOn(clock, 'now').mockReturnValue(1_000);
		const { context, kept } = triggerOf({ baseUrl });
		await activate(activatedTriggerOf(context));
		now.mockReturnValue(2_000);
		await activate(activatedTriggerOf(context));

		expect(kept).toMatchObject({ webhookUrl: OWN_URL, listeningSince: 1_000 });
	});
});

test.each([0, 'unknown'])(
	'a service that reports %j as the timeout is taken to wait as long as the trigger asks it to',
	async (timeout_seconds) => {
		const service = serviceWith(null);
		const respond = (options: IHttpRequestOptions) => {
			const response = service.respond(options);
			if (service.webhook) service.webhook.timeout_seconds = timeout_seconds;
			return response;
		};
		const parameters = { 'options.combineEvents': 'perChat' };
		const trigger = { mode: 'activate', baseUrl: `https://${timeout_seconds}.example.com` } as const;
		const { context, kept } = triggerOf({ ...trigger, parameters, respond });

		expect(await activate(activatedTriggerOf(context))).toBe(true);

		expect(kept).not.toHaveProperty('timeoutSeconds');
	},
);

describe('the URL that a trigger has saved', () => {
	test.each([
		[
			'is forgotten when it is that of the n8n from which this one was copied',
			'https://original.example.com/w',
			undefined,
		],
		['stays when it is its own', OWN_URL, OWN_URL],
	])('%s, although the activation fails', async (_, webhookUrl, expected) => {
		const respond = () => ({ statusCode: 401, body: { error: 'invalid_api_key' } });
		const { context, kept } = triggerOf({
			baseUrl: 'https://copy.example.com',
			kept: { webhookUrl },
			respond,
		});

		await expect(activate(activatedTriggerOf(context))).rejects.toMatchObject({ httpCode: '401' });

		expect(kept.webhookUrl).toBe(expected);
	});

	test.each([
		['a test saves none', 'manual', undefined],
		['a published trigger saves its own', 'activate', OWN_URL],
	] as const)('%s', async (_, mode, expected) => {
		const service = serviceWith(null);
		const { context, kept } = triggerOf({
			baseUrl: `https://${mode}.example.com`,
			mode,
			respond: service.respond,
		});

		await activate(activatedTriggerOf(context));

		expect(kept.webhookUrl).toBe(expected);
	});
});

test.each([
	['a test, in which nothing is combined', 'manual', true],
	['a published trigger that combines nothing', 'activate', undefined],
] as const)('%s does not mind how long the service waits', async (_, mode, isCombined) => {
	const service = serviceWith(null);
	const respond = (options: IHttpRequestOptions) => {
		const response = service.respond(options);
		if (service.webhook) service.webhook.timeout_seconds = 1;
		return response;
	};
	const parameters = isCombined ? { 'options.combineEvents': 'perChat' } : {};
	const trigger = { baseUrl: `https://short-${mode}.example.com`, mode, parameters, respond };
	const { context, kept } = triggerOf(trigger);

	expect(await activate(activatedTriggerOf(context))).toBe(true);

	expect(kept.timeoutSeconds).toBeUndefined();
});

test.each([
	['starts when its trigger is unpublished', OWN_URL, true],
	['stays when a test of its trigger ends', 'https://n8n.example.com/webhook/published/webhook', false],
])('what waits for more messages of its chat %s', async (_, webhookUrl, expected) => {
	jest.spyOn(clock, 'sleep').mockImplementation(
		async (_ms, signal) =>
			await new Promise((_resolve, reject) => {
				signal?.addEventListener('abort', () => reject(new Error('It is over')));
			}),
	);
	const baseUrl = `https://waits-${expected}.example.com`;
	const { context } = triggerOf({ baseUrl, kept: { webhookUrl }, respond: serviceWith(null).respond });
	const event = { item: { json: {} }, isWanted: true, bytes: 1, settle: () => undefined };
	let isGone = false;
	// That of another test has the clock of that test.
	const combiner = createCombiner(clock);
	jest.replaceProperty(stateOf(activatedTriggerOf(context)), 'combiner', combiner);
	void combiner.perChat('chat', event, { silenceMs: 3_000, maxWaitMs: 14_000 }).then(() => (isGone = true));

	await deactivate(activatedTriggerOf(context));

	await new Promise(setImmediate);
	expect(isGone).toBe(expected);
});

test.each([
	[{ 'options.chats': 'Ada' }, "'Chats' contains neither a phone number nor a chat ID: 'Ada'."],
	[{ 'options.catchUp': -1 }, "'Catch Up (Minutes)' is too small: -1."],
	[{ 'options.combineEvents': 'whenBusy', 'options.maxEvents': 0 }, "'Max Events' is too small: 0."],
])('%j is refused before anything changes', async (parameters, words) => {
	const { requests, respond } = serviceWith(null);
	const baseUrl = 'https://invalid.example.com';

	await expect(
		activate(activatedTriggerOf(triggerOf({ baseUrl, mode: 'activate', parameters, respond }).context)),
	).rejects.toThrow(words);

	expect(requests).toEqual([]);
});

test('this n8n knows the workflow at the URL of a trigger by its name until it is unpublished', async () => {
	const { respond } = serviceWith(null);
	const { context } = triggerOf({ baseUrl: 'https://named.example.com', mode: 'activate', respond });

	await activate(activatedTriggerOf(context));
	expect(ownTriggerAt(OWN_URL).workflowName).toBe('Support');
	await deactivate(activatedTriggerOf(context));
	expect(ownTriggerAt(OWN_URL).workflowName).toBeUndefined();
});

test('a trigger joins without workflows of its n8n that are gone', async () => {
	jest.spyOn(clock, 'sleep').mockImplementation(async (ms) => {
		if (ms > 1_000) await new Promise(() => undefined);
	});
	const pathOf = (url: string) => url.split('/').slice(-2).join('/');
	const answer = (url: string) => ({
		status: 404,
		body: { message: `The requested webhook "POST ${pathOf(url)}" is not registered.` },
	});
	const gone = ['one', 'two'].map((id) => workflow(`https://n8n.example.com/webhook/${id}/webhook`));
	const service = serviceWith(webhookOf(gone));
	const { respond } = service;

	await activate(
		activatedTriggerOf(
			triggerOf({ baseUrl: 'https://gone.example.com', mode: 'activate', respond, answer }).context,
		),
	);

	expect(service.webhook?.url).toBe(OWN_URL);
});

describe('a trigger that polls', () => {
	const parameters = { listen: 'poll', pollInterval: 5 };
	const baseUrl = 'https://polled.example.com';

	test('may ask every five seconds, and is ended without a request', async () => {
		const respond = jest.fn();
		const { context } = triggerOf({ baseUrl, parameters, respond });

		expect(await activate(activatedTriggerOf(context))).toBe(true);
		expect(await deactivate(activatedTriggerOf(context))).toBe(true);

		expect(respond).not.toHaveBeenCalled();
	});

	test.each([[['message.sent']], [['message.received', 'message.sent']], [[]]])(
		'is not started for the events %j',
		async (events) => {
			const { context } = triggerOf({ baseUrl, parameters: { ...parameters, events } });

			await expect(activate(activatedTriggerOf(context))).rejects.toThrow(
				events.length === 0 ? "'Events' is empty" : 'Polling finds only received messages',
			);
		},
	);
});
