import type { IDataObject } from 'n8n-workflow';

import { accountIn } from '../../../../nodes/MessagingChannel/trigger/account/account';
import { ownTriggerAt } from '../../../../nodes/MessagingChannel/trigger/account/ownTriggers';
import { startRepairLoop } from '../../../../nodes/MessagingChannel/trigger/activation/repairLoop';
import { publishedTriggerOf } from '../../../../nodes/MessagingChannel/trigger/delivery/trigger';
import type { Subscribers } from '../../../../nodes/MessagingChannel/webhook/subscribers';
import { triggerClockAt } from '../triggerClockAt';
import {
	CRM,
	HUB,
	OTHER_N8N,
	OWN,
	OWN_URL,
	serviceWith,
	testUntil,
	triggerOf,
	webhookOf,
	workflow,
	type Answer,
} from './triggerOf';

const NOW = Date.UTC(2030, 0, 31, 9);
const MINUTE = 60_000;

afterEach(() => jest.restoreAllMocks());

interface Situation {
	/** 'If Webhook Exists'. */
	choice?: string;
	/** The secret of the trigger. */
	secret?: string;
	isEnded?: boolean;
	kept?: IDataObject;
}

const PRESENT = { status: 200, isTrigger: true, body: { reached: true, isProven: true } };
const OTHER_SECRET = { status: 401, isTrigger: true };
const FAILING = { status: 500, isTrigger: true };
const ABSENT = { status: 404 };
const DEAD = {
	...ABSENT,
	body: { message: 'The requested webhook "POST hub/webhook" is not registered.' },
};
const OTHER_CRM = workflow('https://crm.example.com/api/v1/webhook');

const REPAIRED = "Listens: the account's webhook was repaired";
const TAKEN = "could not be repaired: The account's webhook already points to";
const REPLACED_LATER = 'n8n replaces it only when you publish the workflow';
const ALONE = { url: OWN_URL, timeout_seconds: 30 };

let services = 0;

/** Begins to look after the subscription of a trigger, where the others respond with this. */
function begin(
	webhook: Subscribers | IDataObject | null,
	{ choice = 'fail', secret, isEnded = false, kept = { webhookUrl: OWN_URL } }: Situation,
	answer: Answer | ((url: string) => Answer),
) {
	const clock = triggerClockAt(NOW);
	ownTriggerAt(OWN_URL).isActive = !isEnded;
	const service = serviceWith(
		Array.isArray(webhook) ? webhookOf(webhook as Subscribers) : (webhook as IDataObject | null),
	);
	const { context, credential, log } = triggerOf({
		baseUrl: `https://repairs-${++services}.example.com`,
		parameters: { 'options.ifWebhookExists': choice },
		kept,
		secret,
		respond: (options) => service.respond(options),
		answer: (url) => (typeof answer === 'function' ? answer(url) : answer),
	});
	const running = Object.assign(context, { getMode: () => 'trigger' as const });
	return { clock, context, credential, service, log, stop: startRepairLoop(publishedTriggerOf(running)) };
}

test.each<
	[
		string,
		Subscribers | IDataObject | null,
		Situation,
		Answer | ((url: string) => Answer),
		number,
		string | undefined,
		...string[],
	]
>([
	['all right', [OWN], {}, undefined, 30, undefined],
	[
		'a list with events that it cannot know',
		{ ...webhookOf([OWN, HUB]), events: undefined },
		{},
		PRESENT,
		30,
		undefined,
	],
	['events that it cannot know', ALONE, {}, undefined, 30, undefined],
	['no webhook', null, {}, undefined, 1, 'alone own', REPAIRED],
	['no webhook, after its end', null, { isEnded: true }, undefined, 30, undefined],
	['no webhook, and has no secret', null, { secret: '' }, undefined, 30, undefined],
	['no webhook, and has never been published', null, { kept: {} }, undefined, 30, undefined],
	['other events', { ...ALONE, events: [] }, {}, undefined, 1, 'alone own', REPAIRED],
	['another timeout', { ...ALONE, timeout_seconds: 9 }, {}, undefined, 1, 'alone own', REPAIRED],
	['a test that has ended', [OWN, testUntil(1)], {}, undefined, 1, 'alone own', REPAIRED],
	[
		'a test that has ended and a CRM, with an old secret',
		webhookOf([testUntil(1), CRM], 'old'),
		{},
		undefined,
		1,
		'own, external crm',
		REPAIRED,
	],
	['another system', [CRM], {}, undefined, 30, undefined, TAKEN],
	['another system, with Replace', [CRM], { choice: 'replace' }, undefined, 30, undefined, REPLACED_LATER],
	['another system, with Share', [CRM], { choice: 'share' }, undefined, 1, 'own, external crm', REPAIRED],
	['a workflow of its n8n alone', [HUB], {}, PRESENT, 1, 'hub, own', REPAIRED],
	['a list without it', [HUB, CRM], {}, PRESENT, 1, 'hub, own, external crm', REPAIRED],
	[
		'itself with other events on a list',
		webhookOf([HUB, { ...OWN, events: [] }]),
		{},
		PRESENT,
		1,
		'hub, own',
		REPAIRED,
	],
	['a list of an old secret', webhookOf([OWN, HUB], 'old'), {}, PRESENT, 1, 'own, hub', REPAIRED],
	['the same, which the hub signs', webhookOf([HUB, OWN], 'old'), {}, PRESENT, 30, undefined],
	['a list of the secret of another one', webhookOf([OWN, HUB], 'old'), {}, OTHER_SECRET, 30, undefined],
	['a hub with another secret', [HUB, OWN], {}, OTHER_SECRET, 30, undefined, "has another 'Signing Secret'"],
	['another one with another secret', [OWN, HUB], {}, OTHER_SECRET, 30, undefined],
	[
		'itself with other events on a list with events that it cannot know',
		{ ...webhookOf([{ ...OWN, events: [] }, HUB]), events: undefined },
		{},
		PRESENT,
		1,
		'own, hub',
		REPAIRED,
	],
	['one that was absent for a moment', [OWN, HUB], {}, ABSENT, 1, undefined],
	['one that is gone', [OWN, HUB], {}, ABSENT, 2, 'alone own', REPAIRED],
	[
		'one of two that is gone',
		[OWN, HUB, OTHER_N8N],
		{},
		(url) => (url === HUB.url ? ABSENT : PRESENT),
		2,
		'own, other n8n',
		REPAIRED,
	],
	[
		'a list without its events',
		{ ...webhookOf([OWN, HUB]), events: [] },
		{},
		PRESENT,
		1,
		'own, hub',
		REPAIRED,
	],
	['a hub that is gone', [HUB, OWN], {}, ABSENT, 2, 'alone own', REPAIRED],
	['a hub of another n8n that is gone', [OTHER_N8N, OWN], {}, ABSENT, 5, undefined],
	['a hub of another n8n that is gone for long', [OTHER_N8N, OWN], {}, ABSENT, 6, 'alone own', REPAIRED],
	['a hub that fails', [HUB, OWN], {}, FAILING, 5, undefined],
	['a hub that fails for long', [HUB, OWN], {}, FAILING, 6, 'own, hub', REPAIRED],
	['a hub of its n8n that it cannot reach', [HUB, OWN], {}, undefined, 30, undefined],
	['a hub of another n8n that is silent', [OTHER_N8N, OWN], {}, undefined, 6, 'own, other n8n', REPAIRED],
	['another one of another n8n that is silent', [OWN, OTHER_N8N], {}, undefined, 30, undefined],
	['a silent hub elsewhere', [OTHER_CRM, OWN], {}, undefined, 6, `own, ${OTHER_CRM.url}`, REPAIRED],
	[
		'a silent hub elsewhere, with an old secret',
		webhookOf([OTHER_CRM, OWN], 'old'),
		{},
		undefined,
		6,
		`own, external ${OTHER_CRM.url}`,
		REPAIRED,
	],
	[
		'a silent hub of its kind, with an old secret',
		webhookOf([OTHER_N8N, OWN], 'old'),
		{},
		undefined,
		6,
		'own, other n8n',
		REPAIRED,
	],
	['what may be another system that is down', [OTHER_CRM], {}, ABSENT, 30, undefined, TAKEN],
	['a workflow of another n8n alone, which is gone', [OTHER_N8N], {}, DEAD, 30, undefined, TAKEN],
])('a check finds %s', async (_, webhook, situation, answer, minutes, changedTo, ...words) => {
	const { clock, service, log, stop } = begin(webhook, situation, answer);

	await clock.advance(minutes * MINUTE);
	stop();

	expect(service.changedTo).toBe(changedTo);
	expect(log).toEqual(words.map((each) => expect.stringContaining(each)));
});

test.each<[string, Answer, number, Subscribers]>([
	['is there', PRESENT, 3, [OWN, HUB]],
	['fails', FAILING, 11, [OWN, HUB]],
	['may have the webhook', PRESENT, 11, [CRM]],
	['makes the list too long', PRESENT, 11, [HUB, { ...CRM, url: CRM.url.padEnd(1_391, 'x') }]],
])('beside one that %s, it is read so often in eleven minutes: %#', async (_, answer, reads, webhook) => {
	const { clock, service, stop } = begin(webhook, {}, answer);

	await clock.advance(11 * MINUTE);
	stop();

	expect(service.requests).toEqual(Array(reads).fill('GET webhooks'));
});

test('a repair is told again when it was found to work, or the webhook is wrong in another way', async () => {
	const { clock, service, log, stop } = begin(null, {}, undefined);
	const repaired: number[] = [];
	for (const [webhook, minutes] of [
		[undefined, 1],
		[{ ...ALONE, events: [] }, 1],
		[undefined, 1],
		[{ ...ALONE, events: [] }, 5],
	] as const) {
		if (webhook) service.webhook = webhook;
		await clock.advance(minutes * MINUTE);
		repaired.push(log.length);
	}
	stop();

	expect(repaired).toEqual([1, 2, 2, 3]);
});

test('what somebody always undoes is repaired after a minute, and then every five', async () => {
	const undone = { ...ALONE, events: [] };
	const { clock, service, stop } = begin(undone, {}, undefined);
	const repaired: number[] = [];
	for (let minute = 1; minute <= 12; minute++) {
		service.webhook = undone;
		await clock.advance(MINUTE);
		if (service.webhook !== undone) repaired.push(minute);
	}
	stop();

	expect(repaired).toEqual([1, 2, 7, 12]);
});

test('a repair is not told again when a trigger with another secret may have undone it', async () => {
	let answer: Answer = PRESENT;
	const old = webhookOf([OWN, HUB], 'old');
	const { clock, service, log, stop } = begin(old, {}, () => answer);
	const changes: unknown[] = [];
	for (const [next, minutes] of [
		[PRESENT, 1],
		[OTHER_SECRET, 1],
		[PRESENT, 5],
	] as const) {
		answer = next;
		service.webhook = old;
		await clock.advance(minutes * MINUTE);
		changes.push(service.changedTo);
	}
	stop();

	expect(changes).toEqual(['own, hub', undefined, 'own, hub']);
	expect(log).toHaveLength(1);
});

test('what a trigger cannot repair it looks at again after a minute', async () => {
	const { clock, service, stop } = begin([CRM], {}, undefined);
	await clock.advance(MINUTE);
	service.webhook = null;
	await clock.advance(MINUTE);
	stop();

	expect(service.changedTo).toBe('alone own');
});

test('a trigger that others in this process found absent stays the hub', async () => {
	const { clock, service, credential, stop } = begin({ ...webhookOf([OWN, HUB]), events: [] }, {}, PRESENT);
	for (const at of [0, MINUTE]) accountIn(credential).receiver(OWN).noteAnswer('absent', at);
	await clock.advance(MINUTE);
	stop();

	expect(service.changedTo).toBe('own, hub');
});

test('a service that refuses a repair is left alone for five minutes', async () => {
	const { clock, service, log, stop } = begin(null, {}, undefined);
	const { respond } = service;
	let tries = 0;
	service.respond = (options) => {
		if (options.method === 'GET') return respond(options);
		tries++;
		return { statusCode: 400, body: { error: 'invalid_request' } };
	};
	await clock.advance(10 * MINUTE);
	stop();

	expect(tries).toBe(2);
	expect(log).toEqual([expect.stringContaining('Listens: the webhook could not be repaired: ')]);
});

test('a credential that cannot be read is told', async () => {
	const { clock, context, log, stop } = begin(null, {}, undefined);
	context.getCredentials = async () => await Promise.reject(new Error('n8n has no such credential'));
	await clock.advance(MINUTE);
	stop();

	expect(log).toEqual(['Listens: the webhook could not be repaired: n8n has no such credential']);
});
