import type { AskedReceiver } from '../../../nodes/MessagingChannel/checkSetup/receivers';
import { WRONG_SIGNATURE } from '../../../nodes/MessagingChannel/trigger/delivery/verify';
import * as checks from '../../../nodes/MessagingChannel/checkSetup/webhookChecks';
import { expectVerdict, failure, receiver, told, webhookTo, type Case } from './facts';

const HOME = 'http://10.0.0.1:5678/webhook/path/webhook';
const HUB = 'https://n8n.example.com/webhook/path/webhook';
const CRM = { url: 'https://ada:hidden@crm.example.com/in?token=hidden', kind: 'external' as const };

/** The hub responds so. */
const answered = (answer: AskedReceiver['answer'], more: Case[0] = {}): Case[0] => ({
	...more,
	receivers: [receiver({}, answer)],
});
const status = (statusCode: number, isFromTrigger = false) => ({ statusCode, isFromTrigger });
const ownedBy = (...receivers: AskedReceiver[]): Case[0] => ({
	receivers,
	webhook: webhookTo(HUB, { subscribers: receivers.map(({ subscriber }) => subscriber) }),
});
const registered = (url: string, events: string[], ...wanted: string[][]) => ({
	webhook: webhookTo(url, {
		registered: { url, events, timeoutSeconds: 30 },
		subscribers: wanted.map((each) => receiver({ events: each }).subscriber),
	}),
});
const NOTHING: Case[0] = {
	webhook: webhookTo('', { registered: undefined, subscribers: [] }),
	receivers: [],
};
const ENDED: Case[0] = { webhook: webhookTo(HUB, { subscribers: [] }), receivers: [] };
const polls = (more = {}) => ({ workflow: 'A', isPolling: true, left: 0, secondsAgo: 3, ...more });

const UNREAD: Case = [{ webhook: failure(500) }, 'unknown', /^It failed\.$/, /^Do so\.$/];
const NONE: Case = [NOTHING, 'unknown', /^The account has no webhook with a receiver\.$/];
const OTHER: Case = [
	{ receivers: [receiver(CRM)] },
	'unknown',
	/^The webhook belongs to no published workflow, and only that would tell\.$/,
];
const NO_SECRET: Case = [
	{ hasSecret: false },
	'unknown',
	/^The credential has no 'Signing Secret', so the trigger would not answer\.$/,
	/^For the trigger, enter/,
];
const UNANSWERED: Case = [answered('noResponse'), 'unknown', /^Not checked/, /^Solve that first\.$/];
const AGAIN = /^Publish the workflow with the Messaging Channel Trigger again\.$/;
const REACH = /^Set n8n's environment variable N8N_WEBHOOK_URL .*'Polling'\.$/;
const THROUGH = /^A proxy, .* through\.$/;
const SAME = /^Give all credentials .* the same 'Signing Secret'\. .* each of them\.$/;
const OTHER_SECRET = /^The trigger that receives the events has another secret\.$/;

const CASES: Partial<Record<keyof typeof checks, Case[]>> = {
	webhook: [
		[{}, 'ok', /^It points to https:\/\/n8n\.example\.com\/webhook\/path\/webhook, for message\.received\.$/],
		[registered(`${HUB}?a=hidden`, ['a', 'b'], ['a'], ['b']), 'ok', /path\/webhook, for a, b\.$/],
		[registered(HUB, [], ['a']), 'problem', /webhook, but gets no events\.$/, AGAIN],
		[registered(HUB, ['b'], ['a', 'b'], ['a', 'c']), 'problem', /, but lacks a, c\.$/, AGAIN],
		[NOTHING, 'warning', /^The account has no webhook, so nobody/, /^Publish a workflow .*events\.$/],
		[{ ...NOTHING, ownFetches: [polls()] }, 'ok', /no webhook\. A workflow polls instead\.$/],
		[{ ...NOTHING, ownFetches: [polls({ isPolling: false })] }, 'warning', /nobody/, /^Publish/],
		[ENDED, 'warning', /webhook, where a test has ended, so nobody receives/, /^Publish a workflow/],
		UNREAD,
	],
	receivers: [
		[{}, 'ok', /^workflow 'Support'\.$/],
		[ownedBy(receiver({ kind: 'test' }), receiver()), 'ok', /^a test in the editor; workflow 'Support'\.$/],
		[
			ownedBy(receiver({}, told({ workflow: undefined })), receiver(CRM)),
			'ok',
			/^a workflow at https:\/\/n8n\.example\.com\/webhook\/path\/webhook; another system at https:\/\/crm\.example\.com\/in\.$/,
		],
		[
			ownedBy(receiver(), receiver({}, status(404))),
			'warning',
			/path\/webhook, where nothing listens\. A trigger repairs the list within some minutes\.$/,
			/^If a workflow of the list is still published, publish it again\.$/,
		],
		[answered(status(404)), 'warning', /, where nothing listens\.$/, /publish it again\.$/],
		[answered(status(401)), 'ok', /^a workflow at https:\S+webhook\.$/],
		[answered('noResponse'), 'ok', /^a workflow at https:\S+webhook\.$/],
		[{ receivers: [receiver(CRM)] }, 'warning', /^No workflow .*crm\.example\.com\/in\.$/, /'Share'\.$/],
		[
			{ receivers: [receiver(CRM)], ownFetches: [polls()] },
			'ok',
			/^A workflow polls, and the events go to another system at https:\/\/crm\.example\.com\/in\.$/,
		],
		NONE,
		UNREAD,
	],
	webhookUrl: [
		[{}, 'ok', /webhook\/path\/webhook looks as if the service can reach it\.$/],
		[{ receivers: [receiver({ url: HOME })] }, 'problem', /^http:\/\/10\.0\.0\.1.* is only/, REACH],
		[NOTHING, 'ok', /^https:\/\/n8n\.example\.com looks/],
		[{ ...NOTHING, webhooksUrl: 'http://10.0.0.1' }, 'warning', /^http:\/\/10\.0\.0\.1 is/, REACH],
		[{ ...NOTHING, webhooksUrl: 'http://10.0.0.1', ownFetches: [polls()] }, 'unknown', NONE[2]],
		OTHER,
		UNREAD,
	],
	n8nAddress: [
		[{}, 'ok', /^The trigger answered at https:\S+, without a proxy\.$/],
		[answered(told({ isProxied: true })), 'ok', /, through a proxy\.$/],
		[answered(status(401, true)), 'ok', /^The trigger answered at https:\S+webhook\.$/],
		[answered('noResponse'), 'warning', / did not answer from here\.$/, /^If no events .*address\.$/],
		[answered(status(299)), 'problem', /^Something else .* \(HTTP 299\)\.$/, THROUGH],
		[
			answered(status(300)),
			'problem',
			/ redirects to another address \(HTTP 300\)\.$/,
			/^If that is a login page, .* Otherwise set N8N/,
		],
		[answered(status(399)), 'problem', / redirects .* \(HTTP 399\)\.$/, /again\.$/],
		[answered(status(400)), 'problem', /^Something else .* \(HTTP 400\)\.$/, THROUGH],
		[answered(status(404)), 'problem', /^Nothing listens at .* \(HTTP 404\)\.$/, /^Publish .* same\.$/],
		[
			answered(status(401), { webhooksUrl: 'https://other.example.com' }),
			'problem',
			/^Something else .* \(HTTP 401\)\.$/,
			/^If another system is there, .*'Share'\. Otherwise: A proxy, .* through\.$/,
		],
		[
			answered(status(500)),
			'problem',
			/^Something else .* \(HTTP 500\)\.$/,
			/does not reach it: .* webhooks\.$/,
		],
		[
			answered(status(500, true)),
			'problem',
			/^The trigger answered .*, but could not read its credential\.$/,
			/^Run again\. .* publish the workflow again\.$/,
		],
		[answered(status(499, true)), 'ok', /^The trigger answered at/],
		OTHER,
		NONE,
		NO_SECRET,
		UNREAD,
	],
	testUrls: [
		[{ editorUrl: '' }, 'unknown', /^n8n does not say where its editor is\.$/],
		[{}, 'ok', /^Test URLs are at https:\/\/n8n\.example\.com, as those of published workflows\.$/],
		[{ editorUrl: 'https://ed.example.com' }, 'ok', /at https:\/\/ed.* at https:\/\/n8n\.example\.com\.$/],
		[
			{ editorUrl: HOME },
			'warning',
			/ at https:\/\/n8n\.example\.com\. The first is only/,
			/^Set n8n's .* ignore this\.$/,
		],
	],
	signingSecret: [
		[{}, 'ok', /^The trigger has the same secret, and the service has signed an event with it\.$/],
		[answered(told({ isProven: false })), 'unknown', /^The trigger has .* too\.$/, /'Send a Test Event'\.$/],
		[answered(status(401, true)), 'problem', OTHER_SECRET, SAME],
		[answered(status(403, true)), 'unknown', /^Not checked/, /^Solve/],
		[answered(status(401)), 'unknown', /^Not checked/, /^Solve/],
		[answered(status(401, true), { clockOffsetMs: 299_000 }), 'problem', OTHER_SECRET, SAME],
		[answered(status(401, true), { clockOffsetMs: -300_000 }), 'unknown', /^Not checked/, /^Solve/],
		[answered(status(401, true), { clockOffsetMs: undefined }), 'problem', OTHER_SECRET, SAME],
		[answered('noResponse', { webhook: webhookTo(HUB, { isList: true }) }), 'problem', OTHER_SECRET, SAME],
		[
			{ webhook: webhookTo(HUB, { isList: true }) },
			'warning',
			/same secret, but the list of receivers is signed with another one\.$/,
			/^A trigger signs it again within some minutes\. .* the same 'Signing Secret'\.$/,
		],
		[{ webhook: webhookTo(HUB, { isList: true, isSigned: true }) }, 'ok', /^The trigger has/],
		[{ sample: 'missing' }, 'warning', /^The sample event did not arrive\.$/, /^Look at the other/],
		[{ sample: failure(500) }, 'unknown', /^It failed\.$/, /^Do so\.$/],
		[{ sample: { end: 'verified' } }, 'ok', /^The sample event arrived, and its signature is right\.$/],
		[
			{ sample: { end: WRONG_SIGNATURE } },
			'problem',
			/^The sample event was refused: its signature does not match/,
			SAME,
		],
		[
			{ sample: { end: 'it is old' } },
			'problem',
			/^The sample event was refused: it is old\.$/,
			/^The secret is not the reason: keep it\.$/,
		],
		UNANSWERED,
		OTHER,
		NO_SECRET,
	],
	deliveries: [
		[{}, 'ok', /^In the last hour, as far as the process knows that answered: 2 verified\.$/],
		[answered(told({ deliveries: {} })), 'ok', /: 0 verified\.$/],
		[answered(told({ deliveries: { notTaken: 0 } })), 'ok', /: 0 verified\.$/],
		[
			answered(told({ deliveries: { old: 1, forged: 2 } })),
			'problem',
			/: 0 verified; 1 refused: old; 2 refused: forged\.$/,
			/^n8n's log and the failed executions say more\. .*refused\.$/,
		],
		[
			answered(told({ deliveries: { verified: 1, notTaken: 2 } })),
			'warning',
			/: 1 verified; 2 not taken by n8n\.$/,
			/^n8n's log and the failed executions say more\. /,
		],
		UNANSWERED,
	],
	fetching: [
		[{}, 'unknown', /^No trigger that polls or catches up is known to the processes that were asked\.$/],
		[{ ownFetches: [polls()] }, 'ok', /^workflow 'A' polls, last 3 s ago: everything is read\.$/],
		[
			{
				ownFetches: [polls(), polls({ isPolling: false, left: 2 })],
				receivers: [
					receiver({}, told({ fetches: [polls({ secondsAgo: 4 }), polls({ workflow: 'B' })] })),
					receiver(CRM),
				],
			},
			'ok',
			/^workflow 'A' polls, last 4 s ago: everything is read; workflow 'A' catches up, last 3 s ago: 2 chats are still to be read; workflow 'B' polls, [^;]*\.$/,
		],
		[
			{ ownFetches: [polls({ left: 1, problem: 'It failed' }), polls(), polls({ workflow: 'B' })] },
			'warning',
			/^workflow 'A' polls, last 3 s ago: It failed; workflow 'B'/,
			/^It is tried again\. /,
		],
	],
};

describe.each(Object.entries(CASES))('%s', (check, cases) => {
	const judge = checks[check as keyof typeof checks] as Parameters<typeof expectVerdict>[0];
	test.each(cases)('of %j is %s', (...given) => expectVerdict(judge, given));
});
