import type { INode, ITriggerFunctions } from 'n8n-workflow';

import {
	activationErrorOf,
	AnswersTaken,
	WebhookTaken,
} from '../../../../nodes/MessagingChannel/trigger/activation/activationErrors';
import {
	forgetWorkflowName,
	noteWorkflowName,
} from '../../../../nodes/MessagingChannel/trigger/activation/workflowNames';

const context = {
	getNode: () => ({ name: 'Listens' }) as INode,
	getWorkflowStaticData: () => ({}),
} as unknown as ITriggerFunctions;
const messageOf = (error: Error) => activationErrorOf(context, error).message;

test('the error for a webhook that points elsewhere says since when, and keeps the query secret', () => {
	const registered = { url: 'https://crm.example/hook?token=1', events: [], timeoutSeconds: 30 };

	expect(messageOf(new WebhookTaken({ ...registered, since: '2030-01-31T09:00:00Z' }, 'fail'))).toMatch(
		/^The account's webhook already points to https:\/\/crm\.example\/hook, since 2030-01-31T09:00:00Z\. An account/,
	);
	expect(messageOf(new WebhookTaken(registered, 'fail'))).toMatch(/crm\.example\/hook\. An account/);
});

test('the error for a second trigger that takes answers names the workflow of the first one, while this n8n knows it', () => {
	const url = 'https://n8n.example/webhook/support/webhook';
	noteWorkflowName(url, 'Support');

	expect(messageOf(new AnswersTaken(url))).toContain(
		"each other's answers. It is in the workflow 'Support'. Turn the option off here or there.",
	);

	forgetWorkflowName(url);
	expect(messageOf(new AnswersTaken(url))).toContain('answers. Turn the option off here or there.');
});
