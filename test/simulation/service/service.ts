import type { Choices } from '../chance/choices';
import type { EmittedEvent } from './events';
import type { Sender, ServiceRequest, ServiceResponse } from './http';
import type { Scheduler } from '../chance/scheduler';
import type { WebhookService } from './webhooks';

/** What a request that must not be repeated asks the service for. */
export type Taking = 'text' | 'media' | 'broadcast' | 'tag';

/** A message or a record, as it is asked for. */
interface Asked {
	kind: Taking;
	/** The chat; empty for a tag. */
	to: string;
	/** The text, the URL of the media, or the name. */
	text: string;
}

/** A message or a record that the service has taken. */
export interface TakenRequest extends Asked {
	id: string;
	/** Unix time in milliseconds, by the scheduler. */
	takenAt: number;
	from?: Sender;
}

/** What a request that must not be repeated asks for; undefined for another request. */
export function askedIn({ method, path, body }: ServiceRequest): Asked | undefined {
	if (method !== 'POST') return undefined;
	if (path === '/messages/send') return { kind: 'text', to: chatIdOf(body.to), text: String(body.message) };
	if (path === '/messages/send-media')
		return { kind: 'media', to: chatIdOf(body.to), text: String(body.media_url) };
	if (path === '/messages/broadcast') {
		const [to] = body.recipients as string[];
		return { kind: 'broadcast', to: chatIdOf(to), text: String(body.name) };
	}
	return path === '/tags' ? { kind: 'tag', to: '', text: String(body.name) } : undefined;
}

/** The chat with a number, or the chat itself. */
export const chatIdOf = (to: unknown) => (String(to).includes('@') ? String(to) : `${String(to)}@c.us`);

/** A message in a chat. */
export interface ShownMessage {
	id: string;
	/** Unix time in milliseconds, by the scheduler. */
	at: number;
	to: string;
	text: string;
	/** The request that it was made for; undefined when somebody wrote it on the phone, or the queue made it twice. */
	taken?: TakenRequest;
}

/** A request that arrived, as the rate window saw it. */
export interface CountedRequest {
	at: number;
	from?: Sender;
	isRefused: boolean;
	/** When the window ends, in Unix milliseconds by the scheduler. */
	windowEnds: number;
}

/** How a service behaves during one history. */
export interface ServiceSettings {
	/** How far its clock is ahead of n8n's, in milliseconds. */
	clockOffsetMs: number;
	/** Requests in each window of a minute. */
	rateLimit: number;
	/** Whether its responses have a header `Date`; they do unless told otherwise. */
	hasDate?: boolean;
	/** Whether it always shows all messages of a chat, newest first. Unless told otherwise, a list can be wrong. */
	hasWholeLists?: boolean;
	/** How much longer its queue holds each message back, in milliseconds. */
	queueMs?: number;
	/** Until when nobody reaches it, in Unix milliseconds by the scheduler. */
	cutOffUntil?: number;
}

/** The tag of those who get no messages. */
export const OPTED_OUT = 'unsubscribed';

const WINDOW_MS = 60_000;

/** How many messages of a chat it lists at the most. */
const MAX_MESSAGES = 200;

/** How long the queue may hold a message back before it shows in its chat; the first is the usual. */
const QUEUE_DELAYS_MS = [100, 900, 3_000, 20_000] as const;

/** What a list of messages may have wrong; the first is the usual. */
const LIST_FAULTS = [
	'none',
	'none',
	'none',
	'none',
	'repeats a message',
	'is the wrong way round',
	'lags',
] as const;

const BUSY: ServiceResponse = {
	statusCode: 429,
	headers: { 'retry-after': '15' },
	body: { error: 'busy', message: 'Come back later' },
};

type Answer = Omit<ServiceResponse, 'headers'>;
type ChatMessage = Record<string, unknown>;

/** The messaging service as the API specification describes it, with the faults that it may have. */
export type SimulatedService = ReturnType<typeof createService>;

export function createService(
	scheduler: Scheduler,
	choices: Choices,
	settings: ServiceSettings,
	webhooks?: Pick<WebhookService, 'handle'>,
) {
	const taken: TakenRequest[] = [];
	const counted: CountedRequest[] = [];
	const shown: ShownMessage[] = [];
	/** What chats show, newest first. */
	const chats = new Map<string, ChatMessage[]>();
	const optedOut = new Set<string>();
	let queued = 0;
	let others = { messages: 0, until: 0 };
	let disconnectedUntil = 0;
	let refusal = { until: 0, isReported: false };
	/** By the scheduler, so that a window does not move when the clock jumps. */
	let windowEnds = 0;
	let used = 0;
	const clock = () => scheduler.now() + settings.clockOffsetMs;

	const countRequest = (from?: Sender): { isRefused: boolean; headers: Record<string, string> } => {
		if (scheduler.now() >= windowEnds) {
			windowEnds = scheduler.now() + WINDOW_MS;
			used = 0;
		}
		used++;
		const { rateLimit, clockOffsetMs, hasDate = true } = settings;
		const isRefused = used > rateLimit;
		if (from) counted.push({ at: scheduler.now(), from, isRefused, windowEnds });
		return {
			isRefused,
			headers: {
				...(hasDate && { date: new Date(clock()).toUTCString() }),
				'x-ratelimit-limit': String(rateLimit),
				'x-ratelimit-remaining': String(Math.max(rateLimit - used, 0)),
				'x-ratelimit-reset': String(Math.ceil((windowEnds + clockOffsetMs) / 1000)),
			},
		};
	};

	const addToChat = (to: string, message: ChatMessage & { timestamp: number }, isReceived: boolean): void => {
		const others = chats.get(to) ?? [];
		// It may be listed later than one that came in after it.
		const newer = others.filter((other) => isReceived && Number(other.timestamp) > message.timestamp);
		const older = others.slice(newer.length);
		chats.set(to, [...newer, { to, type: 'chat', ...message }, ...older].slice(0, MAX_MESSAGES));
	};

	const seconds = () => Math.floor(clock() / 1000);

	const show = (id: string, to: string, text: string, request?: TakenRequest): void => {
		shown.push({ id, at: scheduler.now(), to, text, taken: request });
		addToChat(to, { id, body: text, from_me: true, timestamp: seconds() }, false);
	};

	/** The queue may lose a message that the service has taken, or hand it to the channel twice. */
	const queue = (request: TakenRequest): void => {
		const { id, to, text } = request;
		const fault = choices.upTo(24);
		queued++;
		scheduler.after(choices.oneOf(QUEUE_DELAYS_MS) + (settings.queueMs ?? 0), () => {
			queued--;
			if (fault < 23) show(id, to, text, request);
			if (fault === 22) show(`${id}_again`, to, text);
		});
	};

	const take = (asked: Asked, from?: Sender): TakenRequest => {
		const id = `true_${taken.length}`;
		const request = { ...asked, id, takenAt: scheduler.now(), from };
		taken.push(request);
		if (asked.kind === 'text') queue(request);
		return request;
	};

	const notConnected = (): Answer => ({
		statusCode: 400,
		body: { error: 'account_not_connected', message: 'Not connected' },
	});

	const takeMessage = (asked: Asked, from?: Sender): Answer => {
		if (scheduler.now() < disconnectedUntil) return notConnected();
		const message = take(asked, from);
		const body = { success: true, queued: true, job_id: `job-${message.id}`, to: message.to };
		return { statusCode: 202, body };
	};

	const create = (asked: Asked, from?: Sender): Answer => {
		const { id, text: name } = take(asked, from);
		return { statusCode: 201, body: { success: true, data: { id, name } } };
	};

	const list = (chatId: string, limit: number, before: unknown): ChatMessage[] => {
		const isOlder = ({ timestamp }: ChatMessage) =>
			before === undefined || Number(timestamp) < Date.parse(String(before)) / 1000;
		const messages = (chats.get(chatId) ?? []).filter(isOlder).slice(0, limit);
		const fault = settings.hasWholeLists ? 'none' : choices.oneOf(LIST_FAULTS);
		if (fault === 'repeats a message') return [...messages.slice(0, 1), ...messages];
		if (fault === 'is the wrong way round') return messages.reverse();
		return fault === 'lags' ? messages.slice(1) : messages;
	};

	const chatOf = ([id, messages]: [string, ChatMessage[]]) => {
		const latest = Math.max(...messages.map(({ timestamp }) => Number(timestamp)));
		return { id, name: id, type: 'individual', last_message_at: new Date(latest * 1000).toISOString() };
	};

	const respond = (request: ServiceRequest): Answer => {
		const { method, path, query, body, from } = request;
		const fromWebhooks = webhooks?.handle(method, path, body, from);
		if (fromWebhooks) return fromWebhooks;
		const ok = (data: unknown) => ({ statusCode: 200, body: { success: true, data } });
		const asked = askedIn(request);
		if (asked) return (asked.kind === 'text' || asked.kind === 'media' ? takeMessage : create)(asked, from);
		if (path === '/chats/resolve') {
			const id = chatIdOf(query.phone);
			return chats.has(id)
				? ok({ id, name: null, phone: query.phone })
				: { statusCode: 404, body: { error: 'not_found', message: 'No such chat' } };
		}
		const [, chatId] = /^\/chats\/([^/]+)\/messages$/.exec(path) ?? [];
		if (chatId !== undefined)
			return ok(list(decodeURIComponent(chatId), Number(query.limit ?? 50), query.before));
		if (path === '/chats') return ok([...chats].map(chatOf));
		if (path === '/contacts') {
			const data = [...optedOut].map((phone) => ({ phone, tags: [OPTED_OUT] }));
			const pagination = { page: 1, limit: data.length || 50, total: data.length };
			return { statusCode: 200, body: { success: true, data, pagination } };
		}
		if (path === '/tags') return ok([{ id: '1', name: OPTED_OUT }]);
		if (path === '/messages/queue') {
			const waiting = queued + (scheduler.now() < others.until ? others.messages : 0);
			return ok({ waiting, active: 0, failed: 0, delayed: 0 });
		}
		return { statusCode: 404, body: { error: 'not_found', message: 'No such endpoint' } };
	};

	return {
		/** How it behaves, which may change at any time. */
		settings,
		/** Everything that it has taken, in that order: what histories are judged by. */
		taken,
		/** All requests that arrived with a sender, in that order. */
		counted,
		/** Everything that has appeared in chats. */
		shown,
		/** Loses the connection to the channel for so many milliseconds. */
		disconnect: (ms: number) => void (disconnectedUntil = scheduler.now() + ms),
		/** Nobody reaches it for so many milliseconds. */
		cutOff: (ms: number) => void (settings.cutOffUntil = scheduler.now() + ms),
		/** A customer no longer wants messages, and gets the tag for it. */
		optOut: (phone: string) => void optedOut.add(phone),
		/** Somebody writes a message on the phone. */
		writeOnPhone: (to: string, text: string) => show(`true_phone_${shown.length}`, chatIdOf(to), text),
		/** A customer writes. The time is in Unix seconds of the service's clock, and in a group somebody else writes than the chat. */
		receive: (
			from: string,
			text: string,
			event: Partial<Pick<EmittedEvent, 'messageId' | 'timestamp' | 'isFromMe' | 'from'>> = {},
		) => {
			const { messageId = `false_${scheduler.now()}`, timestamp = seconds(), isFromMe = false } = event;
			const message = { id: messageId, body: text, from_me: isFromMe, timestamp, from: event.from };
			addToChat(chatIdOf(from), message, event.timestamp !== undefined);
		},
		/** Others have so many messages in the queue, for so many milliseconds. */
		fillQueue: (messages: number, ms: number) => void (others = { messages, until: scheduler.now() + ms }),
		/** Refuses all requests with a 429. If it reports the window, something is left; else something before the service refuses. */
		refuse: (ms: number, isReported: boolean) => void (refusal = { until: scheduler.now() + ms, isReported }),
		/** Answers a request that has arrived. */
		handle(request: ServiceRequest): ServiceResponse {
			const isRefusedByAll = scheduler.now() < refusal.until;
			if (isRefusedByAll && !refusal.isReported) return BUSY;
			const { isRefused, headers } = countRequest(request.from);
			if (!isRefused && !isRefusedByAll) return { headers, ...respond(request) };
			const body = { error: 'rate_limit_exceeded', message: 'Too many requests' };
			return { statusCode: 429, headers, body };
		},
	};
}
