import { randomUUID } from 'node:crypto';
import { invalid } from './apiError';
import { documentedOperations } from './documentedOperations';
import { connectionBody, fireEvent, receivedBody } from './events';
import type { Fault } from './faults';
import { addGroup, addTag, addTemplate } from './newRecords';
import { isGroup, normalizePhone, phoneOfChat } from './phone';
import type { Account, Chat, Contact, Group, Permission, Tag, Template, WebhookConfig } from './records';
import type { RequestFilter } from './requestLog';
import type { Runtime } from './runtime';
import { composeMessage, mediaOf, recipient, typeOfMedia } from './sending';
import type { ClockSetting, DelayRange, Settings } from './settings';
import { sign } from './signature';
import { addMessage, ensureChat, ensureContact } from './store';

/** Bytes in base64, or a generated file of `bytes` bytes. */
interface IncomingMedia {
	mimetype: string;
	filename?: string;
	base64?: string;
	bytes?: number;
}

/** A message that arrives at the account. */
interface IncomingMessage {
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

/** Records to begin with; everything that is left out gets a plausible value. */
export interface Seed {
	chats?: Array<Partial<Chat> & Pick<Chat, 'id'>>;
	contacts?: Array<Partial<Contact> & Pick<Contact, 'phone'>>;
	groups?: Array<Partial<Group> & Pick<Group, 'name'>>;
	tags?: Array<Partial<Tag> & Pick<Tag, 'name'>>;
	templates?: Array<Partial<Template> & Pick<Template, 'name' | 'content'>>;
	/** Put in their chats without firing events. */
	messages?: Array<
		Pick<IncomingMessage, 'fromMe' | 'timestamp' | 'type' | 'media'> & { chatId: string; body: string }
	>;
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

function configure(runtime: Runtime, change: Partial<Settings>): Settings {
	for (const name of Object.keys(change)) {
		if (!(name in runtime.settings)) throw invalid(`There is no setting ${name}.`);
	}
	Object.assign(runtime.settings, change);
	if (change.rateLimit) runtime.rateLimiter.restart();
	return runtime.settings;
}

function storeMedia(runtime: Runtime, { bytes: size, base64 = '', ...file }: IncomingMedia) {
	if (size !== undefined) return mediaOf(runtime.media.addSynthetic(size, file.mimetype));
	return mediaOf(runtime.media.addBytes(file, Buffer.from(base64, 'base64')));
}

/** Puts a message in a chat. */
function addToChat(
	runtime: Runtime,
	chatId: string,
	{ body = '', fromMe = false, type, media, timestamp, chatName }: Omit<IncomingMessage, 'from'>,
) {
	const ofMedia = media && typeOfMedia(media.mimetype);
	const message = composeMessage(runtime, chatId, {
		...{ body, fromMe, timestamp },
		type: type === undefined ? ofMedia : { type, raw: type },
		media: media ? storeMedia(runtime, media) : null,
	});
	return { message, chat: addMessage(runtime.store, chatId, message, runtime.clock.now(), chatName) };
}

function seed(runtime: Runtime, records: Seed) {
	const { chats = [], contacts = [], groups = [], tags = [], templates = [], messages = [] } = records;
	const { store } = runtime;
	const now = runtime.clock.now();
	return {
		contacts: contacts.map((contact): Contact => {
			const phone = normalizePhone(contact.phone);
			if (phone === undefined) throw invalid(`${contact.phone} is not a phone number.`);
			return Object.assign(ensureContact(store, phone, now, contact.name), contact, { phone });
		}),
		chats: chats.map((chat): Chat => {
			const id = recipient(chat.id);
			if (!isGroup(id)) ensureContact(store, phoneOfChat(id), now, chat.name);
			return Object.assign(ensureChat(store, id, chat.name), chat, { id });
		}),
		groups: groups.map((group) => addGroup(runtime, group)),
		tags: tags.map((tag) => addTag(runtime, tag)),
		templates: templates.map((template) => addTemplate(runtime, template)),
		messages: messages.map(({ chatId, ...one }) => addToChat(runtime, recipient(chatId), one).message),
	};
}

/** What the headers of a hand-made delivery say otherwise than the usual ones; null for one that is missing. */
function handMade(
	runtime: Runtime,
	{ signature = 'valid', timestamp, headers }: RawDelivery,
	body: string | Buffer,
	valid: string,
): Record<string, string | null> {
	const signatures = {
		valid,
		missing: null,
		wrong: valid.replace(/^./, (digit) => (digit === '0' ? '1' : '0')),
		'other-key': sign(body, 'some other key'),
	};
	const shifted = (offsetSeconds: number) => Math.floor(runtime.clock.now() / 1000 + offsetSeconds);
	const stamp = typeof timestamp === 'object' ? shifted(timestamp.offsetSeconds) : timestamp;
	return {
		'X-Service-Signature': signatures[signature],
		...(stamp !== undefined && { 'X-Service-Timestamp': String(stamp) }),
		...headers,
	};
}

function deliver(runtime: Runtime, delivery: RawDelivery) {
	const { event = 'message.received', eventId = runtime.random.uuid(), times = 1 } = delivery;
	const url = delivery.url ?? runtime.webhook.config?.url;
	if (url === undefined) throw invalid('No webhook is registered.');
	const body =
		typeof delivery.body === 'string' ? delivery.body : Buffer.from(delivery.body.base64, 'base64');
	const outgoing = { eventId, event, body, source: 'hand-made' as const };
	const usual = runtime.deliverer.headers(outgoing);
	const merged = { ...usual, ...handMade(runtime, delivery, body, usual['X-Service-Signature'] ?? '') };
	const headers = Object.fromEntries(
		Object.entries(merged).filter((entry): entry is [string, string] => entry[1] !== null),
	);
	const once = async () => await runtime.deliverer.attempt(outgoing, url, headers);
	return Promise.all(Array.from({ length: times }, once));
}

async function idle(runtime: Runtime, timeoutMs: number): Promise<void> {
	const deadline = Date.now() + timeoutMs;
	const busy = () => {
		const { waiting, active, delayed } = runtime.queue.status();
		return waiting + active + delayed + runtime.upcoming + runtime.deliverer.pending();
	};
	while (busy() > 0) {
		if (Date.now() > deadline) throw invalid(`Still busy after ${timeoutMs} ms.`);
		await runtime.timers.wait(5);
	}
}

export type ServedControl = ReturnType<typeof createControl>;

/**
 * What a test may do to the running service besides calling its API, served under `/control`.
 *
 * @param reset starts a new runtime: records, settings, faults, logs, keys, webhook and clock are as after the start
 */
export function createControl(current: () => Runtime, reset: () => void) {
	const store = () => current().store;
	return {
		reset,
		configure: (change: Partial<Settings>) => configure(current(), change),
		setRateLimit: (rateLimit: Settings['rateLimit']) => void configure(current(), { rateLimit }),
		setSendDelay: (sendDelay: DelayRange) => void configure(current(), { sendDelay }),
		setRedelivery: (redelivery: Settings['redelivery']) => void configure(current(), { redelivery }),
		/** Moves the clock, which goes on running unless it is stopped, and stands in `Date`. */
		setClock: (to: ClockSetting) => current().clock.set(to),
		/** A changed status fires `connection.connected` or `connection.disconnected`. */
		setAccount: (change: Partial<Account>): Account => {
			const { account } = store();
			const { status } = account;
			Object.assign(account, change);
			if (account.status !== status) {
				const event = account.status === 'connected' ? 'connection.connected' : 'connection.disconnected';
				fireEvent(current(), event, connectionBody(account, event, current().clock.now()));
			}
			return account;
		},
		createKey: ({ permissions }: { permissions: Permission[] }) => {
			// A key stays one of a kind when the service is reset and its randomness begins anew.
			const apiKey = `key-${randomUUID()}`;
			current().keys.set(apiKey, new Set(permissions));
			return { apiKey };
		},
		/** Returns the records in the order given. */
		seed: (records: Seed) => seed(current(), records),

		addFault: (fault: Fault) => {
			const known = documentedOperations.some(({ operationId }) => operationId === fault.operationId);
			if (fault.operationId !== undefined && !known)
				throw invalid(`There is no operation ${fault.operationId}.`);
			return { faultId: current().faults.add(fault) };
		},
		/** Also lets go what they hold back. */
		clearFaults: () => current().faults.clear(),
		/** Serves an operation at another path instead, as a real service may for an inferred one. */
		moveOperation: ({ operationId, path }: Record<'operationId' | 'path', string>) =>
			current().routes.move(operationId, path),

		/** Stops the queue before its next send, so that `waiting` grows. */
		holdQueue: () => current().queue.hold(),
		releaseQueue: () => current().queue.release(),
		/** Resolves when no send is queued and no delivery is in flight. */
		idle: async ({ timeoutMs = 120_000 }: { timeoutMs?: number } = {}) => await idle(current(), timeoutMs),

		/** The answer's ids: the event is only delivered when a webhook wants it. */
		incomingMessage: ({ from, chatType, ...incoming }: IncomingMessage) => {
			const group = chatType === 'group' || isGroup(from);
			const chatId = group && !from.includes('@') ? `${from}@g.us` : recipient(from);
			const { message, chat } = addToChat(current(), chatId, incoming);
			const body = receivedBody(store().account, chat, message);
			return { ...fireEvent(current(), 'message.received', body), messageId: message.id };
		},
		/** Any event, known or not, whether or not the webhook selected it. */
		emitEvent: (given: { event: string; body: unknown; eventId?: string }) => {
			const { event, body, eventId = current().random.uuid() } = given;
			if (!current().webhook.config?.is_active) throw invalid('No webhook is registered.');
			void current().deliverer.enqueue({ eventId, event, body: JSON.stringify(body), source: 'event' });
			return { eventId };
		},
		deliver: async (delivery: RawDelivery) => await deliver(current(), delivery),
		/** Oldest first; the latest 50,000. */
		deliveries: ({ event, eventId }: { event?: string; eventId?: string } = {}) =>
			current()
				.deliverer.records()
				.filter(
					(record) =>
						(event ?? record.event) === record.event && (eventId ?? record.eventId) === record.eventId,
				),

		/** Every request that arrived, oldest first; the latest 50,000. */
		requests: (filter: RequestFilter = {}) => current().log.find(filter),
		clearRequests: () => current().log.clear(),
		/** The messages the service really took, oldest first, for "never twice" checks. */
		accepted: () => current().accepted,
		/** Answers that did not fit openapi.yaml: always a fault of this service, so tests assert there are none. */
		defects: () => current().defects,

		/** What another program that uses the account does to its webhook. */
		setWebhook: ({ config }: { config: WebhookConfig | null }) => void (current().webhook.config = config),
		webhook: () => current().webhook,
		/** A chat's messages, oldest first. */
		messages: ({ chatId }: { chatId: string }) => store().messages.get(recipient(chatId)) ?? [],
		contacts: () => [...store().contacts.values()],
		templates: () => [...store().templates.values()],
		broadcasts: () => [...store().broadcasts.values()],
	};
}
