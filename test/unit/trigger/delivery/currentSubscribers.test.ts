import type { IWebhookFunctions } from 'n8n-workflow';

import { currentSubscribers } from '../../../../nodes/MessagingChannel/trigger/delivery/currentSubscribers';
import { registrationOf, SUBSCRIBERS_PARAMETER } from '../../../../nodes/MessagingChannel/webhook/sharedUrl';
import type { Subscribers } from '../../../../nodes/MessagingChannel/webhook/subscribers';
import { SECRET } from '../deliveries';
import { NO_WEBHOOK, OWN_URL, triggerOf, webhookOf, workflow } from '../activation/triggerOf';

const own = workflow(OWN_URL);
const other = workflow('https://n8n.example.com/webhook/other/webhook');
const third = workflow('https://n8n.example.com/webhook/third/webhook');

/** A list, as a delivery has it in its URL. */
const listOf = (subscribers: Subscribers, secret = SECRET) =>
	new URL(registrationOf(subscribers, secret).url).searchParams.get(SUBSCRIBERS_PARAMETER);

let services = 0;

/** Asks a trigger for the list. The service has this webhook, or none. */
async function listFor(value: unknown, webhook?: ReturnType<typeof webhookOf>, mode = 'webhook') {
	const requests: string[] = [];
	const { context } = triggerOf({
		baseUrl: `https://lists-${++services}.example.com`,
		respond: ({ url }) => {
			requests.push(url);
			return webhook ? { statusCode: 200, body: { success: true, data: webhook } } : NO_WEBHOOK;
		},
	});
	const received = { ...context, getMode: () => mode } as unknown as IWebhookFunctions;
	const list = await currentSubscribers(received, OWN_URL, value, SECRET);
	return { list, requests: requests.length };
}

test('a list in the URL that is signed counts, and the service is not asked', async () => {
	expect(await listFor(listOf([own, other]))).toEqual({ list: [own, other], requests: 0 });
});

test.each([
	['is signed with another secret', listOf([own, other], 'another')],
	['is missing', undefined],
	['is none', 'x'],
])('the list that the service has counts if that in the URL %s', async (_, value) => {
	expect(await listFor(value, webhookOf([other, own], 'another'))).toEqual({
		list: [other, own],
		requests: 1,
	});
});

test('a trigger that has the webhook alone has no list', async () => {
	expect(await listFor(undefined, webhookOf([own]))).toEqual({ list: [], requests: 1 });
});

test.each([
	['names it no more', webhookOf([other, third])],
	['is another system', webhookOf([{ ...other, kind: 'external' }])],
	['is missing', undefined],
])('nobody knows who receives the events of a trigger whose webhook %s', async (_, webhook) => {
	await expect(listFor('x', webhook)).rejects.toThrow();
});

test('the list counts for a test, whose URL it does not name', async () => {
	expect(await listFor('x', webhookOf([other, third]), 'manual')).toMatchObject({ list: [other, third] });
	expect(await listFor('x', undefined, 'manual')).toMatchObject({ list: [] });
});
