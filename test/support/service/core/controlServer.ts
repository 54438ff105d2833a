import { randomUUID } from 'node:crypto';
import { invalid } from './apiError';
import type { Control, IncomingMedia, RawDelivery, Seed, Seeded } from './control';
import type { Settings } from './settings';
import { connectionBody, fireEvent, receivedBody } from './events';
import { sha256 } from './mediaStore';
import { isGroup, normalizePhone, phoneOfChat } from './phone';
import type { MessageMedia } from './records';
import { addGroup, addTag, addTemplate } from './newRecords';
import type { Runtime } from './runtime';
import { composeMessage, mediaOf, recipient, typeOfMedia } from './sending';
import { addMessage, ensureChat, ensureContact } from './store';
import { sign } from './signature';

type Awaitable<Result> = Result | Promise<Result>;

/** Each method of `Control` on the service's side. */
type Implementation = {
	[Method in keyof Control]: (
		argument: NonNullable<Parameters<Control[Method]>[0]>,
	) => Awaitable<Awaited<ReturnType<Control[Method]>>>;
};

function configure(runtime: Runtime, change: Partial<Settings>): Settings {
	for (const name of Object.keys(change)) {
		if (!(name in runtime.settings)) throw invalid(`There is no setting ${name}.`);
	}
	Object.assign(runtime.settings, change);
	if (change.rateLimit) runtime.rateLimiter.restart();
	return runtime.settings;
}

function storeMedia(runtime: Runtime, media: IncomingMedia): MessageMedia {
	if (media.bytes !== undefined) return mediaOf(runtime.media.addSynthetic(media.bytes, media.mimetype));
	const bytes = Buffer.from(media.base64 ?? '', 'base64');
	const { filename, mimetype } = media;
	return mediaOf(runtime.media.add({ filename, mimetype, size: bytes.length, sha256: sha256(bytes), bytes }));
}

const typeFor = (type: string | undefined, media: IncomingMedia | undefined) => {
	if (type !== undefined) return { type, raw: type };
	return media ? typeOfMedia(media.mimetype) : undefined;
};

const receive: (runtime: Runtime) => Implementation['incomingMessage'] = (runtime) => (incoming) => {
	const { from, chatType, chatName, body = '', fromMe = false, timestamp } = incoming;
	const group = chatType === 'group' || isGroup(from);
	const chatId = group && !from.includes('@') ? `${from}@g.us` : recipient(from);
	const media = incoming.media ? storeMedia(runtime, incoming.media) : null;
	const type = typeFor(incoming.type, incoming.media);
	const message = composeMessage(runtime, chatId, { body, fromMe, type, media, timestamp });
	const chat = addMessage(runtime.store, chatId, message, runtime.clock.now(), chatName);
	const { eventId } = fireEvent(
		runtime,
		'message.received',
		receivedBody(runtime.store.account, chat, message),
	);
	return { eventId, messageId: message.id };
};

function seed(runtime: Runtime, records: Seed): Seeded {
	const { store, clock } = runtime;
	const now = clock.now();
	return {
		contacts: (records.contacts ?? []).map((contact) => {
			const phone = normalizePhone(contact.phone);
			if (phone === undefined) throw invalid(`${contact.phone} is not a phone number.`);
			return Object.assign(ensureContact(store, phone, now, contact.name), contact, { phone });
		}),
		chats: (records.chats ?? []).map((chat) => {
			const id = recipient(chat.id);
			if (!isGroup(id)) ensureContact(store, phoneOfChat(id), now, chat.name);
			return Object.assign(ensureChat(store, id, chat.name), chat, { id });
		}),
		groups: (records.groups ?? []).map((group) => addGroup(runtime, group)),
		tags: (records.tags ?? []).map((tag) => addTag(runtime, tag)),
		templates: (records.templates ?? []).map((template) => addTemplate(runtime, template)),
		messages: (records.messages ?? []).map(({ chatId, body, fromMe = false, timestamp, type, media }) => {
			const id = recipient(chatId);
			const message = composeMessage(runtime, id, {
				body,
				fromMe,
				timestamp,
				type: typeFor(type, media),
				media: media ? storeMedia(runtime, media) : null,
			});
			addMessage(store, id, message, now);
			return message;
		}),
	};
}

function handMadeHeaders(
	runtime: Runtime,
	delivery: RawDelivery,
	body: string | Buffer,
	eventId: string,
): Record<string, string> {
	const { signature = 'valid', event = 'message.received', timestamp } = delivery;
	const usual = runtime.deliverer.headers({ eventId, event, body, source: 'hand-made' });
	const valid = usual['X-Service-Signature'] ?? '';
	const signatures = {
		valid,
		missing: null,
		wrong: valid.replace(/^./, (digit) => (digit === '0' ? '1' : '0')),
		'other-key': sign(body, 'some other key'),
	};
	const shifted = (offsetSeconds: number) => Math.floor(runtime.clock.now() / 1000 + offsetSeconds);
	const stamp = typeof timestamp === 'object' ? shifted(timestamp.offsetSeconds) : timestamp;
	const merged: Record<string, string | null> = {
		...usual,
		'X-Service-Signature': signatures[signature],
		...(stamp === undefined ? {} : { 'X-Service-Timestamp': String(stamp) }),
		...delivery.headers,
	};
	return Object.fromEntries(
		Object.entries(merged).filter((entry): entry is [string, string] => entry[1] !== null),
	);
}

function deliver(runtime: Runtime, delivery: RawDelivery) {
	const url = delivery.url ?? runtime.webhook.config?.url;
	if (url === undefined) throw invalid('No webhook is registered.');
	const body =
		typeof delivery.body === 'string' ? delivery.body : Buffer.from(delivery.body.base64, 'base64');
	const eventId = delivery.eventId ?? runtime.random.uuid();
	const headers = handMadeHeaders(runtime, delivery, body, eventId);
	const event = delivery.event ?? 'message.received';
	const once = () => runtime.deliverer.attempt({ eventId, event, body, source: 'hand-made' }, url, headers);
	return Promise.all(Array.from({ length: delivery.times ?? 1 }, once));
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

/** The control API of the running service; `reset` starts a new runtime. */
export function createControl(current: () => Runtime, reset: () => void): Implementation {
	const store = () => current().store;
	return {
		reset,
		configure: (change) => configure(current(), change),
		setRateLimit: (rateLimit) => void configure(current(), { rateLimit }),
		setSendDelay: (sendDelay) => void configure(current(), { sendDelay }),
		setRedelivery: (redelivery) => void configure(current(), { redelivery }),
		setClock: (to) => current().clock.set(to),
		setAccount: (change) => {
			const { account } = store();
			const { status } = account;
			Object.assign(account, change);
			if (account.status !== status) {
				const event = account.status === 'connected' ? 'connection.connected' : 'connection.disconnected';
				fireEvent(current(), event, connectionBody(account, event, current().clock.now()));
			}
			return account;
		},
		createKey: ({ permissions }) => {
			// A key stays one of a kind when the service is reset and its randomness begins anew.
			const apiKey = `key-${randomUUID()}`;
			current().keys.set(apiKey, new Set(permissions));
			return { apiKey };
		},
		seed: (records) => seed(current(), records),

		addFault: (fault) => {
			const known = current().description.operations.some(({ id }) => id === fault.operationId);
			if (fault.operationId !== undefined && !known) {
				throw invalid(`There is no operation ${fault.operationId}.`);
			}
			return { faultId: current().faults.add(fault) };
		},
		clearFaults: () => current().faults.clear(),
		moveOperation: ({ operationId, path }) => current().routes.move(operationId, path),

		holdQueue: () => current().queue.hold(),
		releaseQueue: () => current().queue.release(),
		idle: ({ timeoutMs = 120_000 }) => idle(current(), timeoutMs),

		incomingMessage: (incoming) => receive(current())(incoming),
		emitEvent: ({ event, body, eventId = current().random.uuid() }) => {
			if (!current().webhook.config?.is_active) throw invalid('No webhook is registered.');
			void current().deliverer.enqueue({ eventId, event, body: JSON.stringify(body), source: 'event' });
			return { eventId };
		},
		deliver: (delivery) => deliver(current(), delivery),
		deliveries: ({ event, eventId }) =>
			current()
				.deliverer.records()
				.filter(
					(record) =>
						(event ?? record.event) === record.event && (eventId ?? record.eventId) === record.eventId,
				),

		requests: (filter) => current().log.find(filter),
		clearRequests: () => current().log.clear(),
		accepted: () => current().accepted,
		defects: () => current().defects,

		setWebhook: ({ config }) => void (current().webhook.config = config),
		webhook: () => current().webhook,
		messages: ({ chatId }) => store().messages.get(recipient(chatId)) ?? [],
		contacts: () => [...store().contacts.values()],
		templates: () => [...store().templates.values()],
		broadcasts: () => [...store().broadcasts.values()],
	};
}
