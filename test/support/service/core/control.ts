import type {
	Account,
	Broadcast,
	Chat,
	Contact,
	Group,
	Message,
	Permission,
	Tag,
	Template,
	WebhookConfig,
} from './records';
import type { ClockSetting, DelayRange, Settings } from './settings';

/** Which requests a fault hits, how often, and whether the request is taken first. */
export interface FaultTarget {
	/** `<resource>.<operation>`; without it and without `path`, every operation. */
	operationId?: string;
	method?: string;
	/** Path below the base URL, exact or with `{placeholders}`. */
	path?: string;
	/** Only requests whose JSON body or form carries these values. */
	bodyHas?: Record<string, unknown>;
	/** Default 1; with `probability` and for `hold`, default `always`. */
	times?: number | 'always';
	/** So many matching requests pass first, whatever other faults do to them. Default 0. */
	skip?: number;
	/** Chance that a matching request is hit, 0 to 1; drawn from `seed`, so a run can be repeated. */
	probability?: number;
	seed?: number;
	/**
	 * `before`: the request is not taken. `after`: it is taken, then the answer is spoiled; requests that the
	 * service refuses are left alone. Default `before`, except `cut`, `stall` and `half-gzip`, which are
	 * always `after`.
	 */
	when?: 'before' | 'after';
}

/** What goes wrong. */
export type FaultEffect =
	| { kind: 'status'; status: number; error?: string; body?: unknown; headers?: Record<string, string> }
	| { kind: 'delay'; ms: number }
	/**
	 * Answers are held back until there are `until` of them, or the faults are cleared. Then all of them go out, and
	 * the fault is over.
	 */
	| { kind: 'hold'; until?: number }
	/** The socket is destroyed without an answer. */
	| { kind: 'reset' }
	/** No answer, until the caller goes. */
	| { kind: 'silence' }
	/** JSON that stops in the middle. */
	| { kind: 'bad-json'; status?: number }
	/** The real answer with its length, and half-way through the connection ends. */
	| { kind: 'cut' }
	/** The real answer with its length, and from half-way on nothing more comes, until the caller goes. */
	| { kind: 'stall' }
	/** The real answer packed with gzip, whether or not that was asked for, and of that only half, as if it were whole. */
	| { kind: 'half-gzip' }
	/** A proxy's page instead of the answer, without anything of the service's in its headers. */
	| { kind: 'html'; status?: number }
	| { kind: 'empty'; status?: number }
	| { kind: 'redirect'; location: string; status?: number };

/** One fault on command. */
export type Fault = FaultTarget & FaultEffect;

/** One uploaded file, without its bytes. */
export interface FileRecord {
	filename: string;
	mimetype: string;
	size: number;
	sha256: string;
}

/** One request as it arrived, and what became of it. */
export interface RequestRecord {
	/** Counts up from 1 in order of arrival. */
	order: number;
	/** Null when no operation has this method and path. */
	operationId: string | null;
	method: string;
	/** Path as received, without the query. */
	path: string;
	query: Record<string, string | string[]>;
	/** Names in lower case. */
	headers: Record<string, string | string[] | undefined>;
	/** Names and values in turn, exactly as received. */
	rawHeaders: string[];
	/** Parsed JSON body; strings above 64 KiB are replaced by their length and SHA-256. */
	body: unknown;
	multipart?: { fields: Record<string, string>; file?: FileRecord };
	/** Milliseconds of the machine's clock. */
	receivedAt: number;
	/** Null while the request runs. */
	finishedAt: number | null;
	/** Requests in flight when this one arrived, itself included. */
	inFlight: number;
	/** Null while it runs, or when the socket was destroyed instead of an answer. */
	status: number | null;
	/** The service took the request: its handler ran and succeeded, whatever the caller got to see. */
	accepted: boolean;
	fault?: FaultEffect['kind'];
	/** Why the service refused the request. */
	refusal?: { error: string; message: string };
}

/** Narrows `requests()`. */
export interface RequestFilter {
	operationId?: string;
	method?: string;
	/** As in the record: with the path of the API before it. */
	path?: string;
	accepted?: boolean;
	/** Only requests with a larger order number. */
	after?: number;
}

/** One message that the service took on, however it was asked to. */
export interface AcceptedMessage {
	/** Counts up from 1 in order of acceptance. */
	order: number;
	operationId: string;
	/** Normalized chat id. */
	to: string;
	/** Text, or the caption of a medium. */
	body: string;
	/** Null for a scheduled message or a broadcast recipient that has not been queued yet. */
	jobId: string | null;
	acceptedAt: number;
}

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

/** A hand-made delivery to the registered URL. */
export interface RawDelivery {
	/** The raw body, or `{base64}` for bytes that are not text. */
	body: string | { base64: string };
	/** `X-Service-Event`; default `message.received`. */
	event?: string;
	eventId?: string;
	/** Default `valid`. `other-key`: a right signature under another secret. */
	signature?: 'valid' | 'missing' | 'wrong' | 'other-key';
	/** Sent as it is, or relative to the service's clock. */
	timestamp?: string | number | { offsetSeconds: number };
	/** Laid over the usual headers; null removes one. */
	headers?: Record<string, string | null>;
	/** The same delivery this many times, at once. Default 1. */
	times?: number;
	/** Default: the registered URL. */
	url?: string;
}

/** A message that arrives at the account. */
export interface IncomingMessage {
	/** Phone number, or the group's id for a group. */
	from: string;
	body?: string;
	/** Message `type`; default `chat`, or the medium's kind. */
	type?: string;
	chatType?: 'individual' | 'group';
	chatName?: string;
	media?: IncomingMedia;
	/** A message the account's owner typed on the phone. */
	fromMe?: boolean;
	/** Unix seconds; default now. */
	timestamp?: number;
}

/** Bytes in base64, or a generated file of `bytes` bytes. */
export interface IncomingMedia {
	mimetype: string;
	filename?: string;
	base64?: string;
	bytes?: number;
}

/** Records to begin with; everything that is left out gets a plausible value. */
export interface Seed {
	chats?: Array<Partial<Chat> & Pick<Chat, 'id'>>;
	contacts?: Array<Partial<Contact> & Pick<Contact, 'phone'>>;
	groups?: Array<Partial<Group> & Pick<Group, 'name'>>;
	tags?: Array<Partial<Tag> & Pick<Tag, 'name'>>;
	templates?: Array<Partial<Template> & Pick<Template, 'name' | 'content'>>;
	/** Put in their chats without firing events. */
	messages?: Array<{
		chatId: string;
		body: string;
		fromMe?: boolean;
		timestamp?: number;
		type?: string;
		media?: IncomingMedia;
	}>;
}

/** What `seed()` made, in the order given. */
export interface Seeded {
	chats: Chat[];
	contacts: Contact[];
	groups: Group[];
	tags: Tag[];
	templates: Template[];
	messages: Message[];
}

/** The queue as `GET /messages/queue` reports it. */
export interface QueueStatus {
	waiting: number;
	active: number;
	failed: number;
	delayed: number;
}

/** Everything a test may do to the service besides calling its API. Served under `/control`. */
export interface Control {
	/** Back to the state after start: records, settings, faults, logs, keys, webhook, clock. */
	reset(): Promise<void>;
	configure(settings: Partial<Settings>): Promise<Settings>;
	setRateLimit(limit: Settings['rateLimit']): Promise<void>;
	setSendDelay(range: DelayRange): Promise<void>;
	setRedelivery(redelivery: Settings['redelivery']): Promise<void>;
	/**
	 * Moves the service's clock, which goes on running unless it is stopped, and stands in `Date`; `offsetMs` is relative
	 * to the machine's.
	 */
	setClock(to: ClockSetting): Promise<void>;
	/** A changed status fires `connection.connected` or `connection.disconnected`. */
	setAccount(account: Partial<Account>): Promise<Account>;
	createKey(key: { permissions: Permission[] }): Promise<{ apiKey: string }>;
	seed(seed: Seed): Promise<Seeded>;

	addFault(fault: Fault): Promise<{ faultId: number }>;
	/** Also lets go what they hold back. */
	clearFaults(): Promise<void>;
	/** Serves an operation at another path instead, as a real service may for an inferred one. */
	moveOperation(move: { operationId: string; path: string }): Promise<void>;

	/** Stops the queue before its next send, so that `waiting` grows. */
	holdQueue(): Promise<void>;
	releaseQueue(): Promise<void>;
	/** Resolves when no send is queued and no delivery is in flight; rejects after `timeoutMs` (default 120,000). */
	idle(options?: { timeoutMs?: number }): Promise<void>;

	/** The answers' ids: the event is only delivered when a webhook wants it. */
	incomingMessage(message: IncomingMessage): Promise<{ eventId: string; messageId: string }>;
	/** Any event, known or not, whether or not the webhook selected it. */
	emitEvent(event: { event: string; body: unknown; eventId?: string }): Promise<{ eventId: string }>;
	deliver(delivery: RawDelivery): Promise<DeliveryAttempt[]>;
	/** Oldest first; the latest 50,000. */
	deliveries(filter?: { event?: string; eventId?: string }): Promise<DeliveryRecord[]>;

	/** Every request that arrived, oldest first; the latest 50,000. */
	requests(filter?: RequestFilter): Promise<RequestRecord[]>;
	clearRequests(): Promise<void>;
	/** The messages the service really took, oldest first, for "never twice" checks. */
	accepted(): Promise<AcceptedMessage[]>;
	/** Answers that did not fit openapi.yaml: always a fault of this service, so tests assert there are none. */
	defects(): Promise<string[]>;

	/** What another program that uses the account does to its webhook. */
	setWebhook(change: { config: WebhookConfig | null }): Promise<void>;
	webhook(): Promise<{ config: WebhookConfig | null; secret: string }>;
	/** A chat's messages, oldest first. */
	messages(chat: { chatId: string }): Promise<Message[]>;
	contacts(): Promise<Contact[]>;
	templates(): Promise<Template[]>;
	broadcasts(): Promise<Broadcast[]>;
}

/** `fetch` waits no longer than five minutes for an answer. */
const LONGEST_CALL_MS = 240_000;

/** The control API of a service at `origin` (`http://127.0.0.1:PORT`), in this process or another one. */
export function connectControl(origin: string): Control {
	const call = async (method: string, argument: unknown): Promise<unknown> => {
		const response = await fetch(`${origin}/control/${method}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(argument ?? {}),
		});
		const answer = (await response.json()) as { result?: unknown; error?: string };
		if (!response.ok) throw new Error(`control.${method}: ${answer.error}`);
		return answer.result;
	};
	const idle: Control['idle'] = async ({ timeoutMs = 120_000 } = {}) => {
		let left = timeoutMs;
		for (; left > LONGEST_CALL_MS; left -= LONGEST_CALL_MS) {
			const isIdle = call('idle', { timeoutMs: LONGEST_CALL_MS }).then(
				() => true,
				() => false,
			);
			if (await isIdle) return;
		}
		await call('idle', { timeoutMs: left });
	};
	// A promise that resolves to this asks whether it is one itself.
	return new Proxy({ idle } as Control, {
		get: (own, method) =>
			typeof method === 'string' && method !== 'then'
				? (Reflect.get(own, method) ?? (async (argument: unknown) => await call(method, argument)))
				: undefined,
	});
}
