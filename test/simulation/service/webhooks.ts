import { once } from 'lodash';

import { isGroup } from '../../support/service/core/phone';
import { sign } from '../../support/service/core/signature';
import type { Choices } from '../chance/choices';
import { forgeryOf, type ForgedEvent, type RecordedDelivery } from './forgeries';
import type { Scheduler } from '../chance/scheduler';
import type { Sender, ServiceResponse } from './http';
import type { Tell } from '../chance/story';
import {
	type Delivery,
	type Deliver,
	type Webhook,
	type Attempt,
	type EventType,
	type EmittedEvent,
} from './events';

/** What another system does with the account's webhook. */
export interface ForeignChange {
	does: 'sets' | 'removes';
	at: number;
}

/** A request of n8n that has changed the account's webhook. */
export interface WebhookChange {
	at: number;
	from?: Sender;
}

export const FOREIGN_URL = 'https://other.example.com/hook';
export const FOREIGN_EVENTS: readonly string[] = ['message.sent'];
export const FOREIGN_TIMEOUT_SECONDS = 10;

const ACCOUNT = 'account-1';

type Answer = Omit<ServiceResponse, 'headers'>;

const ATTEMPTS = 6;
const FIRST_BACKOFF_MS = 5_000;
const DELAYS_MS = [10, 150, 2_000] as const;

/** On its way for so long, a delivery is stale when it arrives. */
const LONG_MS = 400_000;

/** The part of the service that delivers events (API spec, "Webhooks" and "Events"). */
export type WebhookService = ReturnType<typeof createWebhookService>;

/** @param firstBackoffMs how long it waits before it delivers an event again, in milliseconds; doubled each time */
export function createWebhookService(
	scheduler: Scheduler,
	choices: Choices,
	now: () => number,
	deliver: Deliver,
	tell: Tell,
	firstBackoffMs = FIRST_BACKOFF_MS,
) {
	const secrets = ['secret-1'];
	let webhook: Webhook | undefined;
	const emitted: EmittedEvent[] = [];
	const forged: ForgedEvent[] = [];
	const samples: EmittedEvent[] = [];
	const foreignChanges: ForeignChange[] = [];
	const changes: WebhookChange[] = [];
	/** What somebody on the way could record. */
	const recorded: RecordedDelivery[] = [];

	const secret = () => secrets.at(-1) as string;
	/** The one before the last rotation, which somebody may have learned. */
	const oldSecret = () => secrets.at(-2) ?? 'guessed';

	const deliveryOf = (event: EmittedEvent, key: string, url: string): Delivery => {
		const { id, type, chatId } = event;
		const message = {
			id: event.messageId,
			from: event.from ?? chatId,
			body: event.text ?? 'Hi',
			type: 'chat',
			timestamp: event.timestamp,
			from_me: event.isFromMe,
		};
		const chat = { id: chatId, type: isGroup(chatId) ? 'group' : 'individual' };
		const body = Buffer.from(JSON.stringify({ event: type, account_id: ACCOUNT, chat, message }));
		const headers = {
			'content-type': 'application/json',
			'x-service-signature': sign(body, key),
			'x-service-timestamp': String(Math.floor(now() / 1000)),
			'x-service-event': type,
			'x-service-event-id': id,
			'x-service-account-id': ACCOUNT,
		};
		return { name: id, url, headers, body };
	};

	const newEvent = (id: string, isFromMe = false, type: EventType = 'message.received'): EmittedEvent => ({
		id,
		type,
		messageId: `message-${id}`,
		isFromMe,
		chatId: '905551112233@c.us',
		attempts: [],
	});

	/** Sends one copy of an event on its way. */
	const send = (
		event: EmittedEvent,
		delivery: Delivery,
		end: (status?: number) => void,
		key = secret(),
	): void => {
		const attempt: Attempt = {
			sentAt: scheduler.now(),
			arrivedAt: Infinity,
			url: delivery.url,
			secret: key,
		};
		event.attempts.push(attempt);
		const delayMs = choices.rarely(30) ? LONG_MS : choices.oneOf(DELAYS_MS);
		scheduler.after(delayMs, () => {
			attempt.arrivedAt = scheduler.now();
			void deliver(delivery).then((response) => {
				attempt.response = response;
				attempt.answeredAt = scheduler.now();
				// The response may get lost.
				if (!choices.rarely(20)) scheduler.after(choices.oneOf(DELAYS_MS), () => end(response?.status));
			});
		});
	};

	/** Delivers an event to where the webhook points by then, again after each failure. */
	const attempt = (event: EmittedEvent, tries = 1, maxTries = ATTEMPTS): void => {
		if (tries > maxTries) return;
		const current = webhook;
		if (!current) return again(event, tries, maxTries);
		if (!current.events.includes(event.type)) return;
		// The same event may be delivered more than once, whatever it was answered.
		const end = once((status?: number) => {
			if (status !== 200 || choices.rarely(6)) again(event, tries, maxTries);
		});
		// The service may deliver it several times at the same moment, and takes any answer.
		const copies = choices.rarely(4) ? choices.oneOf([2, 3]) : 1;
		for (let copy = 0; copy < copies; copy++) {
			const delivery = deliveryOf(event, secret(), current.url);
			recorded.push({ ...delivery, event });
			send(event, delivery, end);
		}
		scheduler.after(current.timeoutSeconds * 1000, () => end());
	};

	const again = (event: EmittedEvent, tries: number, maxTries: number): void => {
		if (tries < maxTries)
			scheduler.after(firstBackoffMs * 2 ** (tries - 1), () => attempt(event, tries + 1, maxTries));
	};

	const sample = (): Answer => {
		if (!webhook) return { statusCode: 400, body: { error: 'validation_error', message: 'No webhook' } };
		const event = newEvent(`sample-${samples.length}`);
		samples.push(event);
		const { url } = webhook;
		// It may come late or never, and the response need not name it.
		if (!choices.rarely(6))
			scheduler.after(choices.oneOf([50, 1_000, 10_000]), () =>
				send(event, deliveryOf(event, secret(), url), () => {}),
			);
		const data = choices.rarely(3) ? {} : { event_id: event.id };
		return { statusCode: 200, body: { success: true, data } };
	};

	return {
		emitted,
		forged,
		samples,
		foreignChanges,
		changes,
		/** All secrets so far, the current one last. */
		secrets,
		get current() {
			return webhook;
		},
		/** Answers a request to the webhook's endpoints; undefined when it is to another one. */
		handle(method: string, path: string, body: Record<string, unknown>, from?: Sender): Answer | undefined {
			const ok = (data: unknown) => ({ statusCode: 200, body: { success: true, data } });
			if (method === 'GET' && path === '/account') return ok({ id: ACCOUNT, status: 'connected' });
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
			if (method !== 'GET') changes.push({ at: scheduler.now(), from });
			if (method !== 'GET') tell(() => `The webhook points to ${webhook?.url ?? 'nothing'}`);
			if (!webhook) return ok(undefined);
			const { url, events, timeoutSeconds } = webhook;
			return ok({ url, events, timeout_seconds: timeoutSeconds, is_active: true });
		},
		/** A customer writes a message, or the account does. */
		emit(isFromMe: boolean, type?: EventType): void {
			const event = newEvent(`event-${emitted.length}`, isFromMe, type);
			// Two events may be about one message, but a message is received once.
			const earlier = emitted.find((other) => other.type === 'message.sent');
			if (type === 'message.sent' && earlier && choices.rarely(4)) event.messageId = earlier.messageId;
			emitted.push(event);
			attempt(event);
		},
		/** A customer writes a message at a time, in Unix seconds by the clock of the service. Its event is delivered so often at the most. */
		receive(
			message: Pick<EmittedEvent, 'chatId' | 'timestamp' | 'isFromMe' | 'from' | 'text'>,
			tries: number,
		): EmittedEvent {
			const event = { ...newEvent(`event-${emitted.length}`), ...message };
			emitted.push(event);
			attempt(event, 1, tries);
			return event;
		},
		/** Somebody who does not know the secret, but has seen deliveries, sends one to a URL. */
		forge(kind: ForgedEvent['kind'], url: string): void {
			const event: ForgedEvent = { ...newEvent(`forged-${forged.length}`, choices.rarely(3)), kind };
			const isOld = kind === 'signed with an old secret';
			const made = deliveryOf(event, isOld ? oldSecret() : 'guessed', url);
			const forgery = forgeryOf(event, made, recorded[choices.upTo(recorded.length || 1)]);
			if (!forgery) return;
			const [sent, delivery] = forgery;
			// A replay that is still fresh is no forgery.
			const ageMs = now() - 1000 * Number(delivery.headers['x-service-timestamp']);
			if (kind === 'stale' && ageMs <= 300_000) return;
			forged.push(sent);
			send(sent, delivery, () => {}, isOld ? oldSecret() : secret());
		},
		/** Another system that uses the account changes its webhook. */
		interfere(does: ForeignChange['does']): void {
			webhook =
				does === 'sets'
					? { url: FOREIGN_URL, events: [...FOREIGN_EVENTS], timeoutSeconds: FOREIGN_TIMEOUT_SECONDS }
					: undefined;
			foreignChanges.push({ does, at: scheduler.now() });
			tell(() => `Another system ${does} the webhook`);
		},
		rotateSecret(): void {
			secrets.push(`secret-${secrets.length + 1}`);
			tell(() => `The secret is ${secret()} now`);
		},
	};
}
