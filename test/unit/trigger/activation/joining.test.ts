import type { WorkflowActivateMode } from 'n8n-workflow';

import { clock } from '../../../../nodes/MessagingChannel/trigger/account/clock';
import { ownTriggerAt } from '../../../../nodes/MessagingChannel/trigger/account/ownTriggers';
import { activate } from '../../../../nodes/MessagingChannel/trigger/activation/activation';
import { activatedTriggerOf } from '../../../../nodes/MessagingChannel/trigger/delivery/trigger';
import type { Subscribers } from '../../../../nodes/MessagingChannel/webhook/subscribers';
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
	type Answer,
} from './triggerOf';

beforeEach(() => {
	jest.spyOn(clock, 'sleep').mockImplementation(async (ms) => {
		if (ms > 1_000) await new Promise(() => undefined);
	});
});
afterEach(() => jest.restoreAllMocks());

interface Situation {
	/** 'If Webhook Exists'. */
	choice?: string;
	mode?: WorkflowActivateMode;
	/** The secret of the list that is registered. */
	listSecret?: string;
	/** Whether this process has just started the hub. */
	hasStartedHub?: boolean;
	takesAnswers?: boolean;
}

const SHARE = { choice: 'share' };
const REPLACE = { choice: 'replace' };
const OLD_LIST = { listSecret: 'old' };
const TAKES_ANSWERS = { takesAnswers: true };
const TAKING = { answerTag: 'tag' };
const START: Situation = { mode: 'init' };
const TESTED: Situation = { mode: 'manual' };
const REACHED = { status: 200, isTrigger: true, body: { reached: true, isProven: true } };
const UNPROVEN = { ...REACHED, body: { reached: true } };
const TEST = testUntil(4_000_000_000);
const TEST_ELSEWHERE = { ...TEST, url: 'https://other.example.com/webhook-test/test/webhook' };

const WEBHOOK_NODE = { ...CRM, url: 'https://n8n.example.com/webhook/crm/new' };

const CHECKED = "the service's sample event did not arrive";
const TAKEN = "The account's webhook already points to";
const SILENT = `No Messaging Channel Trigger responds at ${HUB.url}, which receives the events of this account. Several workflows`;

let services = 0;

test.each<[string, Subscribers, Situation, Answer | 'nobody', string | undefined, ...string[]]>([
	['nobody', [], {}, 'nobody', 'alone own', CHECKED],
	['another system', [CRM], {}, 'nobody', undefined, TAKEN],
	['another system, with Replace', [CRM], REPLACE, 'nobody', 'alone own', CHECKED],
	['another system, with Share', [CRM], SHARE, 'nobody', 'own, external crm', CHECKED],
	['a workflow of its n8n', [HUB], {}, REACHED, 'hub, own'],
	['one that has seen no event', [HUB], {}, UNPROVEN, 'hub, own', CHECKED],
	['one with a CRM, with Replace', [HUB, CRM], REPLACE, REACHED, 'hub, own, external crm'],
	[
		'one with another secret',
		[HUB],
		{},
		{ status: 401, isTrigger: true },
		undefined,
		"The 'Signing Secret' in the credential differs",
	],
	[
		'one that cannot reach it',
		[HUB],
		{},
		{ ...REACHED, body: { reached: false } },
		undefined,
		`The n8n that receives the events of this account cannot reach ${OWN_URL}. Several workflows`,
	],
	['one that does not respond', [HUB], {}, undefined, undefined, SILENT],
	['one behind a proxy that responds', [HUB], {}, { status: 200 }, undefined, SILENT],
	['a Webhook node of its n8n', [WEBHOOK_NODE], {}, 'nobody', undefined, TAKEN],
	['another n8n', [OTHER_N8N], {}, 'nobody', undefined, TAKEN],
	['another n8n, with Replace', [OTHER_N8N], REPLACE, 'nobody', 'alone own', CHECKED],
	['another n8n, with Share', [OTHER_N8N], SHARE, REACHED, 'other n8n, own'],
	[
		'what only looks like n8n, with Share',
		[OTHER_N8N],
		SHARE,
		{ status: 404 },
		'own, external other n8n',
		CHECKED,
	],
	['both n8n', [OTHER_N8N, HUB], {}, REACHED, 'other n8n, hub, own'],
	['both n8n and a CRM, with Replace', [OTHER_N8N, HUB, CRM], REPLACE, 'nobody', 'hub, own', CHECKED],
	[
		'a test of its n8n and a CRM, with an old secret',
		[TEST, CRM],
		OLD_LIST,
		'nobody',
		'own, test other, external crm',
		CHECKED,
	],
	['the same of another n8n', [TEST_ELSEWHERE, CRM], OLD_LIST, 'nobody', undefined, TAKEN],
	['a workflow, as a test', [HUB], TESTED, REACHED, 'hub, test own'],
	['a list with its secret, as a test', [HUB, CRM], TESTED, 'nobody', 'hub, test own, external crm'],
	[
		'a test of another n8n that it cannot ask',
		[TEST_ELSEWHERE],
		OLD_LIST,
		'nobody',
		`own, test ${TEST_ELSEWHERE.url}`,
		CHECKED,
	],
	['another n8n and a Webhook node of its own', [OTHER_N8N, WEBHOOK_NODE], {}, 'nobody', undefined, TAKEN],
	[
		'another n8n that does not respond, with Share',
		[OTHER_N8N],
		SHARE,
		undefined,
		undefined,
		'No Messaging Channel Trigger responds at',
	],
	['one that takes answers', [{ ...HUB, ...TAKING }], {}, REACHED, 'hub, own'],
	[
		'one that takes answers, as it does',
		[{ ...HUB, ...TAKING }],
		TAKES_ANSWERS,
		REACHED,
		undefined,
		"Another published trigger of this account has 'Take Answers' turned on",
	],
	['one that does not take answers, as it does', [HUB], TAKES_ANSWERS, REACHED, 'hub, own'],
	[
		'another n8n that takes answers, as it does, with Share',
		[{ ...OTHER_N8N, ...TAKING }],
		{ ...SHARE, ...TAKES_ANSWERS },
		REACHED,
		'other n8n, own',
	],
	['a test that has ended, at a start', [testUntil(1)], START, 'nobody', 'alone own'],
	['nobody, at a start', [], START, 'nobody', 'alone own'],
	['a list with its secret, at a start', [HUB, CRM], START, 'nobody', 'hub, own, external crm'],
	['a list with an old secret, at a start', [HUB, CRM], { ...START, ...OLD_LIST }, 'nobody', undefined],
	[
		'itself on a list with an old secret, at a start',
		[HUB, OWN],
		{ ...START, ...OLD_LIST },
		'nobody',
		'hub, own',
	],
	['a workflow, at a start', [HUB], START, 'nobody', undefined],
	['a workflow that has just started', [HUB], { mode: 'init', hasStartedHub: true }, 'nobody', 'hub, own'],
	['another system, at a start', [CRM], START, 'nobody', undefined, TAKEN],
	[
		'another system, with Replace, at a start',
		[CRM],
		{ ...START, ...REPLACE },
		'nobody',
		undefined,
		'n8n does not replace it at startup',
	],
	['another system, with Share, at a start', [CRM], { ...START, ...SHARE }, 'nobody', 'own, external crm'],
	['another n8n, at a start', [OTHER_N8N], START, 'nobody', undefined, TAKEN],
	['another n8n, with Share, at a start', [OTHER_N8N], { ...START, ...SHARE }, 'nobody', undefined],
])('a trigger finds %s', async (_, before, situation, answer, changedTo, ...words) => {
	const {
		choice = 'fail',
		mode = 'activate',
		listSecret,
		hasStartedHub = false,
		takesAnswers = false,
	} = situation;
	ownTriggerAt(HUB.url).isActive = hasStartedHub;
	const service = serviceWith(before.length === 0 ? null : webhookOf(before, listSecret));
	const { context, asked, kept, log } = triggerOf({
		baseUrl: `https://joining-${++services}.example.com`,
		mode,
		parameters: { 'options.ifWebhookExists': choice, 'options.takeAnswers': takesAnswers },
		respond: service.respond,
		answer: () => (answer === 'nobody' ? REACHED : answer),
	});

	const error = await activate(activatedTriggerOf(context)).then(
		() => undefined,
		({ message }: Error) => message,
	);

	expect(service.changedTo).toBe(changedTo);
	expect(kept.webhookUrl).toBe(error !== undefined || mode === 'manual' ? undefined : OWN_URL);
	const said = error === undefined ? log : [error];
	expect(said).toEqual(words.map((each) => expect.stringContaining(each)));
	expect(new Set(asked)).toEqual(new Set(answer === 'nobody' ? [] : [`probe ${before[0]?.url}`]));
});
