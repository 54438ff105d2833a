import type { IExecuteFunctions } from 'n8n-workflow';

import { waitingUrlOf } from '../../../nodes/MessagingChannel/n8n/waitingExecution';

/** A context of n8n 1.x, which gives the URL of the execution as WEBHOOK_URL has it. */
const contextAt = (webhookUrl: string) =>
	({
		getWorkflowDataProxy: () => ({ $execution: { resumeUrl: `${webhookUrl}webhook-waiting/231` } }),
		getExecutionId: () => '231',
	}) as unknown as IExecuteFunctions;

test.each([
	'https://n8n.example.com/',
	'https://n8n.example.com/base/',
	'https://n8n.example.com:443/',
	'http://n8n.example.com:80/',
	'https://N8N.Example.com/',
	'https://bücher.example.com/',
])('links of n8n begin with the URL below which its executions wait: %s', (webhookUrl) => {
	// As n8n makes a link.
	const link = new URL(`${webhookUrl}webhook-waiting/7/node`).toString();
	expect(link.slice(waitingUrlOf(contextAt(webhookUrl)).length)).toBe('/7/node');
	expect(link).toContain(waitingUrlOf(contextAt(webhookUrl)));
});

test('a WEBHOOK_URL without a scheme, with which n8n makes no link, fails nothing', () => {
	expect(waitingUrlOf(contextAt('n8n.example.com/'))).toBe('n8n.example.com/webhook-waiting');
});

test('the token that n8n 2.x adds is no part of it', () => {
	const resumeUrl = 'https://n8n.example.com/webhook-waiting/231?signature=a';
	const context = { ...contextAt(''), getWorkflowDataProxy: () => ({ $execution: { resumeUrl } }) };
	expect(waitingUrlOf(context as never)).toBe('https://n8n.example.com/webhook-waiting');
});
