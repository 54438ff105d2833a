import { NodeOperationError, type INode } from 'n8n-workflow';

import {
	activationErrorOf,
	AnswersTaken,
	CannotJoin,
	InvalidWebhookUrl,
	WebhookTaken,
} from '../../../../nodes/MessagingChannel/trigger/activation/activationErrors';
import {
	QueryDropped,
	WebhookKeepsChanging,
} from '../../../../nodes/MessagingChannel/trigger/activation/registration';
import { ownTriggerAt } from '../../../../nodes/MessagingChannel/trigger/account/ownTriggers';
import { TooManySubscribers } from '../../../../nodes/MessagingChannel/webhook/sharedUrl';

const node = { name: 'Listens' } as INode;
const trigger = { node, saved: {}, ownUrl: undefined };
const messageOf = (error: Error) => activationErrorOf(trigger, error).message;

const taken = (url: string, since?: string) =>
	new WebhookTaken({ url, events: [], timeoutSeconds: 30, since }, 'fail');

test.each([
	['https://crm.example/hook?token=1', true],
	['https://user:token@crm.example/hook', true],
	['https://crm.example/hook#token', true],
	['https://crm.example/hook', false],
])(
	'the error for a webhook at %s warns of a secret before it is shared: %s, and shows none',
	(url, warns) => {
		const message = messageOf(taken(url));

		expect(message).toContain("The account's webhook already points to https://crm.example/hook. An account");
		expect(message).not.toContain('token');
		expect(message.includes('becomes readable in the registered one')).toBe(warns);
	},
);

test('the error for a webhook that points elsewhere says since when', () => {
	expect(messageOf(taken('https://crm.example/hook', '2030-01-31T09:00:00Z'))).toMatch(
		/^The account's webhook already points to https:\/\/crm\.example\/hook, since 2030-01-31T09:00:00Z\. An account/,
	);
});

test.each<[string, (url: string) => Error, string, string, string]>([
	[
		'a second trigger that takes answers',
		(url) => new AnswersTaken(url),
		"each other's answers. ",
		"It is in the workflow 'Support'. ",
		'Turn the option off here or there.',
	],
	[
		'a workflow that cannot join',
		(url) => new CannotJoin('otherSecret', url, 'https://n8n.example/webhook/second/webhook'),
		'receives the events now. ',
		"The workflow that receives the events now is 'Support'. ",
		'If another credential',
	],
])('the error for %s names the other one while this n8n knows it', (_, errorFor, before, name, after) => {
	const url = 'https://n8n.example/webhook/support/webhook';
	ownTriggerAt(url).workflowName = 'Support';
	expect(messageOf(errorFor(url))).toContain(`${before}${name}${after}`);

	delete ownTriggerAt(url).workflowName;
	expect(messageOf(errorFor(url))).toContain(`${before}${after}`);
});

describe('the error for a webhook that points to this n8n says so', () => {
	const published = 'https://n8n.example/webhook/2b1c/webhook';
	const tested = 'https://n8n.example/webhook-test/2b1c/webhook';
	const hook = (ownUrl: string) => ({ ...trigger, ownUrl });
	const running = (webhookUrl?: string) => ({ ...trigger, saved: { webhookUrl } });
	const owner =
		'This is a URL of this n8n. It belongs to a workflow with another kind of trigger, probably a Webhook node. An account';

	const orders = 'https://n8n.example/webhook/orders/new';
	const nobody = 'orders/new. An account';

	test.each([
		['when it is published', hook(published), orders, owner],
		['when it is tested', hook(tested), orders, owner],
		['when the other one is tested', hook(published), 'https://n8n.example/webhook-test/orders/new', owner],
		['while it runs', running(published), orders, owner],
		['not of another system on its host', hook(published), 'https://n8n.example/crm/orders/new', nobody],
		['not of another system', hook(published), 'https://crm.example/webhook/orders/new', nobody],
		['not before it was published', running(), orders, nobody],
	])('%s', (_, where, url, expected) => {
		const { message } = activationErrorOf(where, taken(url));
		expect(message).toContain(`already points to ${url}. `);
		expect(message).toContain(expected);
	});
});

test.each([
	[
		new TooManySubscribers(),
		'The webhook URL that names all receivers of this account would be too long. Unpublish',
	],
	[
		new QueryDropped(),
		'The service does not keep the whole webhook URL, so several workflows cannot share the webhook. Let one',
	],
	[new WebhookKeepsChanging(), "Another program keeps changing the account's webhook. Find out"],
	[new InvalidWebhookUrl('is not public'), "n8n's webhook URL is not public. Set n8n's"],
	[new Error('Something else'), 'Something else'],
])('each error has its own text: %s', (error, expected) => {
	expect(messageOf(error).slice(0, expected.length)).toBe(expected);
});

test('an error that is already for the user stays as it is', () => {
	const error = new NodeOperationError(node, 'What happened. What to do.');
	expect(activationErrorOf(trigger, error)).toBe(error);
});
