import { createHmac } from 'node:crypto';

import type { Choices } from './choices';
import type { Scheduler } from './scheduler';
import type { ServiceResponse } from './http';

/** One attempt of the service, or of a forger, to deliver an event. */
export interface Delivery {
	url: string;
	headers: Record<string, string>;
	body: Buffer;
}

/** Resolves to the status that came back; undefined when none did. */
export type Deliver = (delivery: Delivery) => Promise<number | undefined>;

/** What the account's one webhook is set to. */
export interface Webhook {
	url: string;
	events: string[];
	timeoutSeconds: number;
}

/** An event of the account, and what came of its deliveries. */
export interface EmittedEvent {
	id: string;
	/** The statuses that came back, in that order. */
	statuses: Array<number | undefined>;
}

/** The part of the service that delivers events (API spec, "Webhooks" and "Events"). */
export interface WebhookService {
	/** Answers a request to the webhook's endpoints; undefined when it is to another one. */
	handle(
		method: string,
		path: string,
		body: Record<string, unknown>,
	): Omit<ServiceResponse, 'headers'> | undefined;
	/** A customer writes a message. */
	emit(): void;
	/** Somebody who does not know the secret delivers a made-up event. */
	forge(url: string): void;
	rotateSecret(): string;
	readonly secret: string;
	readonly current: Webhook | undefined;
	readonly emitted: EmittedEvent[];
	readonly forged: EmittedEvent[];
}

const ACCOUNT_ID = 'account-1';

const ATTEMPTS = 6;
const FIRST_BACKOFF_MS = 5_000;
const DELAYS_MS = [10, 150, 2_000] as const;

export function createWebhookService(
	scheduler: Scheduler,
	choices: Choices,
	now: () => number,
	deliver: Deliver,
): WebhookService {
	let secret = 'secret-1';
	let rotations = 1;
	let webhook: Webhook | undefined;
	const emitted: EmittedEvent[] = [];
	const forged: EmittedEvent[] = [];

	const deliveryOf = (id: string, body: Buffer, key: string, url: string): Delivery => ({
		url,
		headers: {
			'content-type': 'application/json',
			'x-service-signature': createHmac('sha256', key).update(body).digest('hex'),
			'x-service-timestamp': String(Math.floor(now() / 1000)),
			'x-service-event': 'message.received',
			'x-service-event-id': id,
			'x-service-account-id': ACCOUNT_ID,
		},
		body,
	});

	const bodyOf = (messageId: string): Buffer =>
		Buffer.from(
			JSON.stringify({
				event: 'message.received',
				account_id: ACCOUNT_ID,
				chat: { id: '905551112233@c.us', type: 'individual' },
				message: { id: messageId, from: '905551112233@c.us', body: 'Hi', type: 'chat', from_me: false },
			}),
		);

	/** Delivers an event to where the webhook points by then, again after each failure. */
	const attempt = (event: EmittedEvent, body: Buffer, tries = 1): void => {
		const current = webhook;
		if (!current) return again(event, body, tries);
		scheduler.after(choices.oneOf(DELAYS_MS), () => {
			let isOver = false;
			const end = (status: number | undefined): void => {
				if (isOver) return;
				isOver = true;
				event.statuses.push(status);
				// The same event may be delivered more than once, whatever it was answered.
				if (status !== 200 || choices.rarely(6)) again(event, body, tries);
			};
			const once = (end: (status: number | undefined) => void) =>
				void deliver(deliveryOf(event.id, body, secret, current.url)).then((status) => {
					scheduler.after(choices.oneOf(DELAYS_MS), () => end(status));
				});
			once(end);
			// The service may deliver it twice at the same time, and takes either answer.
			if (choices.rarely(4)) scheduler.after(choices.oneOf(DELAYS_MS), () => once(end));
			scheduler.after(current.timeoutSeconds * 1000, () => end(undefined));
		});
	};

	const again = (event: EmittedEvent, body: Buffer, tries: number): void => {
		if (tries < ATTEMPTS) {
			scheduler.after(FIRST_BACKOFF_MS * 2 ** (tries - 1), () => attempt(event, body, tries + 1));
		}
	};

	const sample = (): Omit<ServiceResponse, 'headers'> => {
		if (!webhook) return { statusCode: 400, body: { error: 'validation_error', message: 'No webhook' } };
		const id = `sample-${scheduler.now()}`;
		const { url } = webhook;
		// It may never come.
		if (!choices.rarely(6)) {
			scheduler.after(choices.oneOf([50, 1_000, 10_000]), () => {
				void deliver(deliveryOf(id, bodyOf(id), secret, url));
			});
		}
		const isNamed = !choices.rarely(3);
		return { statusCode: 200, body: { success: true, data: isNamed ? { event_id: id } : {} } };
	};

	return {
		emitted,
		forged,
		get secret() {
			return secret;
		},
		get current() {
			return webhook;
		},
		handle(method, path, body) {
			const ok = (data: unknown) => ({ statusCode: 200, body: { success: true, data } });
			if (method === 'GET' && path === '/account') return ok({ id: ACCOUNT_ID, status: 'connected' });
			if (method === 'POST' && path === '/webhooks/test') return sample();
			if (path !== '/webhooks') return undefined;
			if (method === 'POST') {
				webhook = {
					url: String(body.url),
					events: body.events as string[],
					timeoutSeconds: Number(body.timeout_seconds),
				};
			}
			if (method === 'DELETE') webhook = undefined;
			return ok(
				webhook && {
					url: webhook.url,
					events: webhook.events,
					timeout_seconds: webhook.timeoutSeconds,
					is_active: true,
				},
			);
		},
		emit() {
			const event: EmittedEvent = { id: `event-${emitted.length}`, statuses: [] };
			emitted.push(event);
			attempt(event, bodyOf(`message-${event.id}`));
		},
		forge(url) {
			const event: EmittedEvent = { id: `forged-${forged.length}`, statuses: [] };
			forged.push(event);
			void deliver(deliveryOf(event.id, bodyOf(event.id), 'guessed', url)).then((status) =>
				event.statuses.push(status),
			);
		},
		rotateSecret() {
			secret = `secret-${++rotations}`;
			return secret;
		},
	};
}
