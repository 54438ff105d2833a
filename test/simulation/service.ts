import type { Choices } from './choices';
import type { ServiceRequest, ServiceResponse } from './http';
import type { Scheduler } from './scheduler';
import type { WebhookService } from './webhooks';

/** A text message that the service has taken. */
export interface TakenMessage {
	id: string;
	/** Unix time in milliseconds, by n8n's clock. */
	takenAt: number;
	to: string;
	text: string;
}

/** How a service behaves during one history. */
export interface ServiceSettings {
	/** How far its clock is ahead of n8n's, in milliseconds. */
	clockOffsetMs: number;
	/** Requests in each window of a minute. */
	rateLimit: number;
}

/** The messaging service as the API specification describes it, with the faults that it may have. */
export interface SimulatedService {
	/** Answers a request that has arrived. */
	handle(request: ServiceRequest): ServiceResponse;
	/** Everything that it has taken, in that order: what histories are judged by. */
	taken: TakenMessage[];
	/** Loses the connection to the channel for so many milliseconds. */
	disconnect(ms: number): void;
}

const WINDOW_MS = 60_000;

/** How long the queue may hold a message back before it shows in its chat; the first is the usual. */
const QUEUE_DELAYS_MS = [100, 900, 3_000, 20_000] as const;

export function createService(
	scheduler: Scheduler,
	choices: Choices,
	{ clockOffsetMs, rateLimit }: ServiceSettings,
	webhooks?: Pick<WebhookService, 'handle'>,
): SimulatedService {
	const taken: TakenMessage[] = [];
	/** What chats show, newest first. */
	const chats = new Map<string, Array<Record<string, unknown>>>();
	let disconnectedUntil = 0;
	let windowEnds = 0;
	let used = 0;
	const now = () => scheduler.now() + clockOffsetMs;

	const countRequest = (): Record<string, string> => {
		if (now() >= windowEnds) {
			windowEnds = now() + WINDOW_MS;
			used = 0;
		}
		used++;
		return {
			date: new Date(now()).toUTCString(),
			'x-ratelimit-limit': String(rateLimit),
			'x-ratelimit-remaining': String(Math.max(rateLimit - used, 0)),
			'x-ratelimit-reset': String(Math.ceil(windowEnds / 1000)),
		};
	};

	const chatIdOf = (to: string) => (to.includes('@') ? to : `${to}@c.us`);

	const show = ({ id, to, text }: TakenMessage): void => {
		const messages = chats.get(to) ?? [];
		const timestamp = Math.floor(now() / 1000);
		chats.set(to, [{ id, to, body: text, from_me: true, type: 'chat', timestamp }, ...messages]);
	};

	const send = ({ to, message }: Record<string, unknown>): Omit<ServiceResponse, 'headers'> => {
		if (scheduler.now() < disconnectedUntil) {
			return { statusCode: 400, body: { error: 'account_not_connected', message: 'Not connected' } };
		}
		const sent = {
			id: `true_${taken.length}`,
			takenAt: scheduler.now(),
			to: chatIdOf(String(to)),
			text: String(message),
		};
		taken.push(sent);
		// The channel may lose a message that the service has taken.
		const isLost = choices.rarely(12);
		if (!isLost) scheduler.after(choices.oneOf(QUEUE_DELAYS_MS), () => show(sent));
		return { statusCode: 202, body: { success: true, queued: true, job_id: `job-${sent.id}`, to: sent.to } };
	};

	const respond = ({ method, path, query, body }: ServiceRequest): Omit<ServiceResponse, 'headers'> => {
		const fromWebhooks = webhooks?.handle(method, path, body);
		if (fromWebhooks) return fromWebhooks;
		const ok = (data: unknown) => ({ statusCode: 200, body: { success: true, data } });
		if (method === 'POST' && path === '/messages/send') return send(body);
		if (path === '/chats/resolve') {
			const id = chatIdOf(String(query.phone));
			return chats.has(id)
				? ok({ id, name: null, phone: query.phone })
				: { statusCode: 404, body: { error: 'not_found', message: 'No such chat' } };
		}
		const [, chatId] = /^\/chats\/([^/]+)\/messages$/.exec(path) ?? [];
		if (chatId !== undefined) {
			return ok((chats.get(decodeURIComponent(chatId)) ?? []).slice(0, Number(query.limit ?? 50)));
		}
		if (path === '/messages/queue') return ok({ waiting: 0, active: 0, failed: 0, delayed: 0 });
		return { statusCode: 404, body: { error: 'not_found', message: 'No such endpoint' } };
	};

	return {
		taken,
		disconnect: (ms) => (disconnectedUntil = scheduler.now() + ms),
		handle(request) {
			const headers = countRequest();
			if (used > rateLimit) {
				return {
					statusCode: 429,
					headers,
					body: { error: 'rate_limit_exceeded', message: 'Too many requests' },
				};
			}
			return { headers, ...respond(request) };
		},
	};
}
