import { repair } from '../../../../nodes/MessagingChannel/trigger/activation/repair';
import {
	noteActivated,
	noteDeactivated,
} from '../../../../nodes/MessagingChannel/trigger/activation/subscription';
import type { WebhookState } from '../../../../nodes/MessagingChannel/webhook/webhookState';
import { OWN_URL, serviceWith, triggerOf, webhookOf, workflow, type Answer } from './triggerOf';

const own = workflow(OWN_URL);
const sibling = workflow('https://n8n.example.com/webhook/sibling/webhook');
const foreign = workflow('https://other.example.com/webhook/foreign/webhook');

interface Case {
	webhook?: ReturnType<typeof webhookOf> | null;
	secret?: string;
	answer?: Answer;
	/** The URL at which nothing is there any more. */
	gone?: string;
	latest?: WebhookState;
}

/** A trigger that repairs its subscription. */
function triggerWith({ webhook = null, secret, answer, gone, latest }: Case) {
	const service = serviceWith(webhook);
	const { respond } = service;
	const baseUrl = 'https://service.example';
	const trigger = triggerOf({ baseUrl, secret, respond, answer: () => answer });
	const checks = {
		latestState: async () => await Promise.resolve(latest),
		isGone: ({ url }: { url: string }) => url === gone,
		isSilent: () => false,
	};
	return { ...trigger, service, repaired: async () => await repair(trigger.context, OWN_URL, checks) };
}

test('a trigger whose credential has lost its signing secret changes nothing', async () => {
	const { repaired, service } = triggerWith({ secret: '' });

	expect(await repaired()).toBe(false);

	expect(service.requests).toEqual([]);
});

test('a trigger that is deactivated meanwhile is not added, until it is activated again', async () => {
	const { repaired, service } = triggerWith({});
	noteDeactivated(OWN_URL);
	expect([await repaired(), service.webhook]).toEqual([false, null]);
	noteActivated(OWN_URL);

	expect(await repaired()).toBe(true);

	expect(service.webhook).toEqual(webhookOf([own]));
});

test('a trigger for which the list has no place makes no request', async () => {
	const subscribers = [sibling, workflow(`https://n8n.example.com/webhook/${'x'.repeat(2_000)}/webhook`)];
	const { repaired, service } = triggerWith({
		answer: { status: 200, isTrigger: true, body: { reached: true } },
		latest: { registered: sibling, subscribers, isList: true, isSigned: true },
	});

	await expect(repaired()).rejects.toThrow('would be too long');

	expect(service.requests).toEqual([]);
});

test('a trigger stays on the list, although another one did not find it', async () => {
	const webhook = { ...webhookOf([sibling, own]), events: ['message.sent'] };
	const { repaired, service, asked } = triggerWith({ webhook, gone: OWN_URL });

	expect(await repaired()).toBe(true);

	expect(service.webhook).toEqual(webhookOf([sibling, own]));
	expect(asked).toEqual([]);
});

test.each([sibling, foreign])('a workflow that is gone is removed from the list: $url', async (gone) => {
	const { repaired, service } = triggerWith({ webhook: webhookOf([own, gone]), gone: gone.url });

	expect(await repaired()).toBe(true);

	expect(service.webhook).toEqual(webhookOf([own]));
});
