import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { buffer } from 'node:stream/consumers';

import type { Clock } from './clock';
import type { Settings } from './settings';
import type { WebhookConfig } from './records';
import { sign } from './signature';
import type { Timers } from './timers';

/** One attempt to deliver an event. */
export interface DeliveryAttempt {
	at: number;
	/** How long it took. */
	ms: number;
	headers: Record<string, string>;
	/** Null when there was no answer. */
	status: number | null;
	responseBody: string;
	/** `timeout` or the network error's code when there was no answer. */
	error: string | null;
}

/** One event on its way to the webhook. */
export interface DeliveryRecord {
	eventId: string;
	event: string;
	url: string;
	body: string;
	attempts: DeliveryAttempt[];
	/** A 2xx answer was seen. */
	delivered: boolean;
	/** Nothing more will be tried. */
	finished: boolean;
	source: 'event' | 'test' | 'hand-made';
}

/** The account's webhook: its registration, its secret and what was sent to it. */
export interface Webhook {
	config: WebhookConfig | null;
	secret: string;
}

/** One event to deliver. */
export interface OutgoingEvent extends Pick<DeliveryRecord, 'eventId' | 'event' | 'source'> {
	body: string | Buffer;
}

/** Deliveries in flight at the same time. */
const CONCURRENCY = 64;
const KEEP_RECORDS = 50_000;
const KEEP_RESPONSE_BYTES = 64 * 1024;

type Agents = { http: http.Agent; https: https.Agent };

async function post(
	url: string,
	body: Buffer,
	headers: Record<string, string>,
	timeoutMs: number,
	agents: Agents,
): Promise<Pick<DeliveryAttempt, 'status' | 'responseBody' | 'error'>> {
	const options = { method: 'POST', headers: { ...headers, 'Content-Length': String(body.length) } };
	const request = url.startsWith('https:')
		? https.request(url, { ...options, agent: agents.https })
		: http.request(url, { ...options, agent: agents.http });
	const timer = setTimeout(() => request.destroy(new Error('timeout')), timeoutMs);
	// It can also come after the response has begun, which then fails itself.
	request.on('error', () => {});
	try {
		const [response] = (await once(request.end(body), 'response')) as [IncomingMessage];
		const responseBody = (await buffer(response)).subarray(0, KEEP_RESPONSE_BYTES).toString();
		return { status: response.statusCode ?? null, responseBody, error: null };
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		return { status: null, responseBody: '', error: code ?? message };
	} finally {
		clearTimeout(timer);
	}
}

/**
 * Delivers events to the account's webhook, again when they fail ("Delivery rules").
 *
 * @param trusted the certificate of the one authority that it trusts, in PEM; the usual ones if left out
 */
export function createDeliverer(
	accountId: string,
	webhook: Webhook,
	settings: Settings,
	clock: Clock,
	timers: Timers,
	trusted?: string,
) {
	// A connection that is kept can be closed by the receiver in the moment in which it is used again.
	const agents: Agents = { http: new http.Agent(), https: new https.Agent({ ca: trusted }) };
	let records: DeliveryRecord[] = [];
	const waiting: Array<() => void> = [];
	let inFlight = 0;
	let unfinished = 0;

	const record = ({ body, ...event }: OutgoingEvent, url: string): DeliveryRecord => {
		const text = body.toString();
		const entry = { ...event, url, body: text, attempts: [], delivered: false, finished: false };
		records.push(entry);
		if (records.length > KEEP_RECORDS * 1.2) records = records.slice(-KEEP_RECORDS);
		return entry;
	};

	/** The headers of "Delivery request headers", signed and stamped now. */
	const headers = ({ event, eventId, body }: OutgoingEvent): Record<string, string> => ({
		'Content-Type': 'application/json',
		'User-Agent': 'Service-Webhook/1.0',
		'X-Service-Signature': sign(body, settings.wrongSignatures ? 'some other key' : webhook.secret),
		'X-Service-Timestamp': String(Math.floor(clock.now() / 1000)),
		'X-Service-Event': event,
		'X-Service-Event-Id': eventId,
		'X-Service-Account-Id': accountId,
	});

	const send = async (entry: DeliveryRecord, body: string | Buffer, sent: Record<string, string>) => {
		const at = Date.now();
		const timeoutMs = settings.redelivery.timeoutMs ?? (webhook.config?.timeout_seconds ?? 30) * 1000;
		const outcome = await post(entry.url, Buffer.from(body), sent, timeoutMs, agents);
		const attempt: DeliveryAttempt = { at, ms: Date.now() - at, headers: sent, ...outcome };
		entry.attempts.push(attempt);
		const { status } = outcome;
		entry.delivered ||= status !== null && status >= 200 && status < 300;
		return attempt;
	};

	const runNext = (): void => {
		while (inFlight < CONCURRENCY) {
			const next = waiting.shift();
			if (!next) return;
			inFlight += 1;
			next();
		}
	};

	const attemptAndRepeat = async (
		entry: DeliveryRecord,
		event: OutgoingEvent,
	): Promise<DeliveryAttempt | undefined> => {
		// Signature, timestamp and URL are those of the moment: the secret or the webhook may have changed.
		let attempt: DeliveryAttempt | undefined;
		if (webhook.config?.is_active) {
			entry.url = webhook.config.url;
			attempt = await send(entry, event.body, headers(event));
		}
		inFlight -= 1;
		const { maxAttempts, backoffMs } = settings.redelivery;
		entry.finished = entry.delivered || !webhook.config?.is_active || entry.attempts.length >= maxAttempts;
		if (entry.finished) unfinished -= 1;
		else timers.after(backoffMs * 2 ** (entry.attempts.length - 1), () => void schedule(entry, event));
		runNext();
		return attempt;
	};

	const schedule = (entry: DeliveryRecord, event: OutgoingEvent) =>
		new Promise<DeliveryAttempt | undefined>((resolve) => {
			waiting.push(() => void attemptAndRepeat(entry, event).then(resolve));
			runNext();
		});

	return {
		headers,
		/** The attempts follow one another by themselves; resolves after the first. */
		enqueue: async (event: OutgoingEvent) => {
			if (!webhook.config?.is_active) return undefined;
			unfinished += 1;
			return await schedule(record(event, webhook.config.url), event);
		},
		/** One attempt, with headers of one's own. */
		attempt: async (event: OutgoingEvent, url: string, sent: Record<string, string>) => {
			const entry = record(event, url);
			const attempt = await send(entry, event.body, sent);
			entry.finished = true;
			return attempt;
		},
		records: () => records.slice(-KEEP_RECORDS),
		/** Events that are not finished. */
		pending: () => unfinished,
		stop: () => {
			waiting.length = 0;
			agents.http.destroy();
			agents.https.destroy();
		},
	};
}
