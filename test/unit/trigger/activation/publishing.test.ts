import type { IDataObject, WorkflowActivateMode } from 'n8n-workflow';

import { accountIn } from '../../../../nodes/MessagingChannel/trigger/account/account';
import { clock } from '../../../../nodes/MessagingChannel/trigger/account/clock';
import { activate, deactivate } from '../../../../nodes/MessagingChannel/trigger/activation/activation';
import { secretChecks } from '../../../../nodes/MessagingChannel/trigger/delivery/state';
import type { Verification } from '../../../../nodes/MessagingChannel/trigger/delivery/verify';
import { secretDigestOf } from '../../../../nodes/MessagingChannel/webhook/sharingKey';
import type { Subscribers } from '../../../../nodes/MessagingChannel/webhook/subscribers';
import { eventWith } from '../deliveries';
import { CRM, HUB, newTrigger, OTHER_N8N, OWN_URL, serviceWith, webhookOf } from './triggerOf';

beforeEach(() => {
	jest.spyOn(clock, 'sleep').mockImplementation(async (ms) => {
		if (ms > 1_000) await new Promise(() => undefined);
	});
});
afterEach(() => jest.restoreAllMocks());

const UNREACHABLE = 'http://own.example.com/webhook/own/webhook';
const NOT_HTTPS = "does not start with 'https'";

test.each<[string, Subscribers, string | undefined]>([
	['nobody', [], NOT_HTTPS],
	['another system', [CRM], NOT_HTTPS],
	['a workflow, which forwards to it', [HUB, CRM], undefined],
])('a test that the service cannot reach finds %s', async (_, before, words) => {
	const service = serviceWith(before.length === 0 ? null : webhookOf(before));
	const parameters = { 'options.ifWebhookExists': 'share' };
	const { trigger } = newTrigger({
		mode: 'manual',
		ownUrl: UNREACHABLE,
		parameters,
		respond: service.respond,
	});

	const error = await activate(trigger).catch(({ message }: Error) => message);

	expect(error).toEqual(words && expect.stringContaining(words));
	expect(service.changedTo).toBe(words ? undefined : `hub, test ${UNREACHABLE}, external crm`);
});

interface Republication {
	choice?: string;
	mode?: WorkflowActivateMode;
	/** Whether an event has verified the secret. */
	isProven?: boolean;
	/** The account that the service names. */
	accountId?: string;
	kept?: IDataObject;
}

const PROVEN: Republication = { isProven: true };
const FORMER = { accountId: 'account-2', accountKey: 'old' };

test.each<[string, Subscribers, Republication, ...string[]]>([
	['nobody', [], {}, 'checks the secret'],
	['nobody, with a secret that an event has verified', [], PROVEN],
	['nobody, at a start', [], { mode: 'init' }],
	[
		'another system, with Replace',
		[CRM],
		{ ...PROVEN, choice: 'replace' },
		'checks the secret',
		'listens anew',
	],
	['another system, with Share', [CRM], { ...PROVEN, choice: 'share' }, 'checks the secret'],
	['another account', [], { ...PROVEN, kept: { accountId: 'account-2' } }, 'listens anew'],
	['another account, with another key', [], { ...PROVEN, kept: FORMER }, 'listens anew', 'warns'],
	[
		'another account, with the webhook of the former given back',
		[],
		{ ...PROVEN, kept: { ...FORMER, accountKey: undefined } },
		'listens anew',
	],
	[
		'another account, in a copy of n8n',
		[],
		{ ...PROVEN, kept: { ...FORMER, webhookUrl: 'https://original.example.com/w' } },
		'listens anew',
	],
	['its account, with another key', [], { ...PROVEN, kept: { accountKey: 'old' } }],
	['an account, and knew none', [], { ...PROVEN, kept: { ...FORMER, accountId: undefined } }],
	['no name of its account', [], { accountId: undefined, kept: { accountKey: 'old' } }, 'checks the secret'],
])('a trigger that is published again finds %s', async (_, before, again, ...expected) => {
	const { choice = 'fail', mode = 'update', isProven, kept: changes } = again;
	const published = newTrigger({ respond: serviceWith(null).respond });
	await activate(published.trigger);
	const { credential, kept } = published;
	Object.assign(kept, { listeningSince: 1, ...changes });
	if (isProven) accountIn(credential).noteProof('account-1', 'secret', clock.elapsed());
	const service = serviceWith(before.length === 0 ? null : webhookOf(before));
	const { trigger, log } = newTrigger({
		baseUrl: credential.baseUrl,
		mode,
		parameters: { 'options.ifWebhookExists': choice },
		kept,
		respond: (options) =>
			'accountId' in again && options.url.endsWith('/account')
				? { statusCode: 200, body: { success: true, data: { id: again.accountId } } }
				: service.respond(options),
	});

	await activate(trigger);

	expect([
		...(service.requests.includes('POST test') ? ['checks the secret'] : []),
		...(kept.listeningSince === 1 ? [] : ['listens anew']),
		...(log.some((line) => line.includes("The account before is 'account-2'")) ? ['warns'] : []),
	]).toEqual(expected);
});

test.each<[string, Verification, boolean, ...string[]]>([
	[
		'is verified',
		{
			verified: true,
			event: eventWith('message.received', { account_id: 'account-1' }, 'sample'),
			deliveredAt: '2030-01-31T09:00:00.000Z',
			rawBody: Buffer.from('{}'),
		},
		true,
	],
	[
		'is rejected for something else',
		{ verified: false, status: 400, error: 'invalid_body', reason: 'it is no JSON' },
		false,
		"Listens: the service's sample event was rejected: it is no JSON. If no event starts the workflow either",
	],
])('a sample that %s shows whether the secret is right', async (_, verification, isRight, ...words) => {
	const service = serviceWith(null);
	const { trigger, kept, log } = newTrigger({
		respond: (options) => {
			const token = new URL(String(service.webhook?.url ?? OWN_URL)).searchParams.get('check');
			if (options.url.endsWith('/test')) secretChecks.open(token, Date.now())?.report(verification);
			return service.respond(options);
		},
	});

	await activate(trigger);
	expect(log).toEqual(words.map((each) => expect.stringContaining(each)));
	expect(kept.secretDigest).toBe(isRight ? secretDigestOf('secret') : undefined);

	// The next publication need not check it.
	await activate(trigger);
	expect(service.requests.filter((each) => each === 'POST test')).toHaveLength(isRight ? 1 : 2);
});

describe('a publication with Replace fails, and so does the way back', () => {
	test.each([
		['publishing fails once more', true],
		['somebody removes the webhook, and n8n ends it', false],
	])('%s: what was there comes back: %s', async (_, isRestored) => {
		const service = serviceWith(webhookOf([OTHER_N8N, HUB]));
		const { webhook } = service;
		let fails = true;
		const { trigger } = newTrigger({
			parameters: { 'options.ifWebhookExists': 'replace' },
			answer: () => ({ status: 200, isTrigger: true, body: { reached: true, isProven: true } }),
			respond: (options) => {
				const isBack = (options.body as IDataObject | undefined)?.url === webhook?.url;
				return options.url.endsWith('/account') || (isBack && fails)
					? { statusCode: 400, body: { error: 'invalid_request' } }
					: service.respond(options);
			},
		});
		await expect(activate(trigger)).rejects.toThrow();
		expect(service.changedTo).toBe('hub, own');
		fails = false;
		if (!isRestored) service.webhook = null;

		if (isRestored) await expect(activate(trigger)).rejects.toThrow();
		else await deactivate(trigger);

		expect(service.webhook?.url).toBe(isRestored ? webhook?.url : undefined);
	});
});
