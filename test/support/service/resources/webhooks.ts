import { randomBytes } from 'node:crypto';

import { invalid, notFound } from '../core/apiError';
import { data, done, type CheckedRequest } from '../core/call';
import { bodyOf, fireEvent, receivedBody } from '../core/events';
import { composeMessage } from '../core/sending';
import { chatOfPhone } from '../core/phone';
import type { Chat, WebhookConfig } from '../core/records';
import type { Runtime } from '../core/runtime';
import type { DeliveryAttempt, OutgoingEvent } from '../core/webhookDelivery';

/** GET /webhooks */
export const get = ({ runtime }: CheckedRequest) => {
	const { config } = runtime.webhook;
	if (!config) throw notFound('A webhook');
	return data(config);
};

/** POST /webhooks */
export const set = ({ runtime, body }: CheckedRequest<Omit<WebhookConfig, 'is_active'>>) => {
	if (runtime.settings.production && !body.url.startsWith('https:')) {
		throw invalid('The field url must be an HTTPS address.');
	}
	const { events } = body;
	const url = runtime.settings.webhookUrl === 'normalized' ? new URL(body.url).href : body.url;
	const timeout_seconds = Math.min(body.timeout_seconds, runtime.settings.maxTimeoutSeconds ?? Infinity);
	runtime.webhook.config = { url, events, is_active: true, timeout_seconds };
	return data(runtime.webhook.config);
};

/** DELETE /webhooks */
export const remove = ({ runtime }: CheckedRequest) => {
	if (runtime.webhook.config) runtime.webhook.config.is_active = false;
	return done();
};

/** POST /webhooks/test */
export const test = async ({ runtime }: CheckedRequest) => {
	const { webhook, store, settings } = runtime;
	if (!webhook.config?.is_active) throw notFound('An active webhook');
	const { messagesBefore = 0, named = true } = settings.sample;
	const id = chatOfPhone('905550000000');
	const chat: Chat = {
		id,
		name: 'Webhook test',
		type: 'individual',
		is_muted: false,
		is_archived: false,
		last_message_at: null,
	};
	const sampleOf = (text: string) =>
		receivedBody(store.account, chat, composeMessage(runtime, id, { body: text, fromMe: false }));
	for (let number = 0; number < messagesBefore; number += 1) {
		fireEvent(runtime, 'message.received', sampleOf('A customer writes.'));
	}
	const event = {
		eventId: runtime.random.uuid(),
		event: 'message.received',
		body: bodyOf(runtime, sampleOf('This is a sample event.')),
		source: 'test' as const,
	};
	const status = (await sendSample(runtime, event))?.status ?? null;
	const delivered = status !== null && status >= 200 && status < 300;
	return data({ ...(named && { event_id: event.eventId }), delivered, status });
};

/** What the sample was answered, when it is sent before the answer to the call. */
async function sendSample(runtime: Runtime, event: OutgoingEvent): Promise<DeliveryAttempt | undefined> {
	const { deliverer, settings, timers, webhook } = runtime;
	const { sent = 'before-answer', redelivered = false } = settings.sample;
	const send = async () => {
		if (redelivered) return await deliverer.enqueue(event);
		return webhook.config && (await deliverer.attempt(event, webhook.config.url, deliverer.headers(event)));
	};
	if (sent === 'before-answer') return (await send()) ?? undefined;
	if (sent === 'never') return undefined;
	runtime.upcoming += 1;
	timers.after(sent.afterMs, () => void send().finally(() => (runtime.upcoming -= 1)));
	return undefined;
}

/** POST /webhooks/rotate-secret */
export const rotateSecret = ({ runtime }: CheckedRequest) => {
	// One of a kind also when the service was reset and its randomness begins anew.
	runtime.webhook.secret = randomBytes(32).toString('hex');
	return { status: 200, json: { success: true, secret: runtime.webhook.secret } };
};
