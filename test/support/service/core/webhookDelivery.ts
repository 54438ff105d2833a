import http from 'node:http';
import https from 'node:https';

import type { Clock } from './clock';
import type { DeliveryAttempt, DeliveryRecord } from './control';
import type { Settings } from './settings';
import type { WebhookConfig } from './records';
import { sign } from './signature';
import type { Timers } from './timers';

/** The account's webhook: its registration, its secret and what was sent to it. */
export interface Webhook {
	config: WebhookConfig | null;
	secret: string;
}

/** One event to deliver. */
export interface OutgoingEvent {
	eventId: string;
	event: string;
	body: string | Buffer;
	source: DeliveryRecord['source'];
}

/** Delivers events, again when they fail ("Delivery rules"). */
export interface Deliverer {
	/** The attempts follow one another by themselves; resolves after the first. */
	enqueue(event: OutgoingEvent): Promise<DeliveryAttempt | undefined>;
	/** One attempt, with headers of one's own. */
	attempt(event: OutgoingEvent, url: string, headers: Record<string, string>): Promise<DeliveryAttempt>;
	/** The headers of "Delivery request headers", signed and stamped now. */
	headers(event: OutgoingEvent): Record<string, string>;
	records(): DeliveryRecord[];
	/** Events that are not finished. */
	pending(): number;
	stop(): void;
}

/** Deliveries in flight at the same time. */
const concurrency = 64;
const keepRecords = 50_000;
const keepResponseBytes = 64 * 1024;

interface Outcome {
	status: number | null;
	responseBody: string;
	error: string | null;
}

function post(
	url: string,
	body: Buffer,
	headers: Record<string, string>,
	timeoutMs: number,
	agents: { http: http.Agent; https: https.Agent },
): Promise<Outcome> {
	return new Promise((resolve) => {
		const secure = url.startsWith('https:');
		const settle = (outcome: Outcome) => {
			clearTimeout(timer);
			resolve(outcome);
		};
		const fail = (error: NodeJS.ErrnoException) =>
			settle({ status: null, responseBody: '', error: error.code ?? error.message });
		const options = { method: 'POST', headers: { ...headers, 'Content-Length': String(body.length) } };
		const request = secure
			? https.request(url, { ...options, agent: agents.https })
			: http.request(url, { ...options, agent: agents.http });
		const timer = setTimeout(() => request.destroy(new Error('timeout')), timeoutMs);
		request.on('error', fail);
		request.on('response', (response) => {
			const chunks: Buffer[] = [];
			let size = 0;
			response.on('data', (chunk: Buffer) => {
				size += chunk.length;
				if (size <= keepResponseBytes) chunks.push(chunk);
			});
			response.on('error', fail);
			response.on('end', () =>
				settle({
					status: response.statusCode ?? null,
					responseBody: Buffer.concat(chunks).toString(),
					error: null,
				}),
			);
		});
		request.end(body);
	});
}

/**
 * A deliverer for the account's webhook.
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
): Deliverer {
	// A connection that is kept can be closed by the receiver in the moment in which it is used again.
	const agents = { http: new http.Agent(), https: new https.Agent({ ca: trusted }) };
	let records: DeliveryRecord[] = [];
	const waiting: Array<() => void> = [];
	let inFlight = 0;
	let unfinished = 0;

	const record = (event: OutgoingEvent, url: string): DeliveryRecord => {
		const entry: DeliveryRecord = {
			eventId: event.eventId,
			event: event.event,
			url,
			body: event.body.toString(),
			attempts: [],
			delivered: false,
			finished: false,
			source: event.source,
		};
		records.push(entry);
		if (records.length > keepRecords * 1.2) records = records.slice(-keepRecords);
		return entry;
	};

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
		while (inFlight < concurrency) {
			const next = waiting.shift();
			if (!next) return;
			inFlight += 1;
			next();
		}
	};

	const finish = (entry: DeliveryRecord): void => {
		entry.finished = true;
		unfinished -= 1;
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
		if (entry.delivered || !webhook.config?.is_active || entry.attempts.length >= maxAttempts) finish(entry);
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
		enqueue: async (event) => {
			if (!webhook.config?.is_active) return undefined;
			unfinished += 1;
			return await schedule(record(event, webhook.config.url), event);
		},
		attempt: async (event, url, sent) => {
			const entry = record(event, url);
			const attempt = await send(entry, event.body, sent);
			entry.finished = true;
			return attempt;
		},
		records: () => records.slice(-keepRecords),
		pending: () => unfinished,
		stop: () => {
			waiting.length = 0;
			agents.http.destroy();
			agents.https.destroy();
		},
	};
}
