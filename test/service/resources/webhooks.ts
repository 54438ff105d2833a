import { invalid, notFound } from '../apiError';
import { data, done, type Call } from '../call';
import { receivedBody } from '../events';
import { composeMessage } from '../sending';
import { chatOfPhone } from '../phone';
import type { Chat, WebhookConfig } from '../records';

const unset: WebhookConfig = { url: '', events: [], is_active: false, timeout_seconds: 30 };

/** GET /webhooks */
export const get = ({ runtime }: Call) => {
	const { config } = runtime.webhook;
	if (!config && runtime.settings.webhookBeforeSet === 'not_found') throw notFound('A webhook');
	return data(config ?? unset);
};

/** POST /webhooks */
export const set = ({ runtime, body }: Call<Omit<WebhookConfig, 'is_active'>>) => {
	if (runtime.settings.production && !body.url.startsWith('https:')) {
		throw invalid('The field url must be an HTTPS address.');
	}
	const { url, events, timeout_seconds } = body;
	runtime.webhook.config = { url, events, is_active: true, timeout_seconds };
	return data(runtime.webhook.config);
};

/** DELETE /webhooks */
export const remove = ({ runtime }: Call) => {
	if (runtime.webhook.config) runtime.webhook.config.is_active = false;
	return done();
};

/** POST /webhooks/test */
export const test = async ({ runtime }: Call) => {
	const { webhook, store, deliverer } = runtime;
	if (!webhook.config?.is_active) throw notFound('An active webhook');
	const id = chatOfPhone('905550000000');
	const chat: Chat = {
		id,
		name: 'Webhook test',
		type: 'individual',
		is_muted: false,
		is_archived: false,
		last_message_at: null,
	};
	const message = composeMessage(runtime, id, { body: 'This is a sample event.', fromMe: false });
	const event = {
		eventId: runtime.random.uuid(),
		event: 'message.received',
		body: JSON.stringify(receivedBody(store.account, chat, message)),
		source: 'test' as const,
	};
	const { status } = await deliverer.attempt(event, webhook.config.url, deliverer.headers(event));
	const delivered = status !== null && status >= 200 && status < 300;
	return data({ event_id: event.eventId, delivered, status });
};

/** POST /webhooks/rotate-secret */
export const rotateSecret = ({ runtime }: Call) => {
	runtime.webhook.secret = runtime.random.hex(64);
	return { status: 200, json: { success: true, secret: runtime.webhook.secret } };
};
