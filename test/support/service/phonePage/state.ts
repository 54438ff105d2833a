import type { DeliveryRecord, RequestRecord } from '../core/control';
import { presignedUrl } from '../core/links';
import type { Message } from '../core/records';
import type { Runtime } from '../core/runtime';

/** The latest chats, messages, requests and deliveries. The control API has them all. */
const SHOWN = 100;

/** The page shows the beginning of a longer text. */
const SHOWN_CHARACTERS = 10_000;

/** A message as the page shows it. */
interface ShownMessage {
	id: string;
	body: string;
	isOwn: boolean;
	/** `sent`, `delivered` or `read`, of a message of the account. */
	status?: string;
	file?: { name: string; link: string };
}

interface ShownRequest extends Pick<RequestRecord, 'method' | 'headers' | 'status' | 'refusal' | 'fault'> {
	key: number;
	/** With the query. */
	path: string;
	body?: string;
}

interface ShownDelivery extends Pick<DeliveryRecord, 'eventId' | 'event' | 'body' | 'attempts'> {
	key: number;
}

/** Everything on the page, the latest first, but for messages. */
export interface PhoneState {
	account: { name: string; status: string };
	switches: string[];
	chats: Array<{ id: string; name: string }>;
	/** The one that is open. */
	chat: { id: string; name: string; messages: ShownMessage[] } | null;
	requests: ShownRequest[];
	deliveries: ShownDelivery[];
	webhook: string | null;
}

const shortened = (text: string): string =>
	text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}… (${text.length} characters)` : text;

/** The latest of a list, the latest first, each with its place in the list. */
const latest = <One>(all: One[]): Array<[One, number]> =>
	all
		.map((one, place): [One, number] => [one, place + 1])
		.slice(-SHOWN)
		.reverse();

function shownRequest({
	method,
	path,
	query,
	headers,
	body,
	multipart,
	status,
	refusal,
	fault,
}: RequestRecord) {
	const pairs = Object.entries(query).flatMap(([name, values]) =>
		[values].flat().map((value): [string, string] => [name, value]),
	);
	const search = pairs.length > 0 ? `?${new URLSearchParams(pairs).toString()}` : '';
	const shown = JSON.stringify(multipart ?? body, null, 2);
	return { method, path: path + search, headers, status, refusal, fault, body: shown && shortened(shown) };
}

const shownDelivery = ({ eventId, event, body, attempts }: DeliveryRecord) => ({
	eventId,
	event,
	body: shortened(body),
	attempts,
});

/** What the page shows. */
export function stateOf(runtime: Runtime, openChat: string | undefined): PhoneState {
	const { store, switches, log, deliverer, statuses, webhook } = runtime;
	const shownMessage = ({ id, body, from_me: isOwn, media }: Message): ShownMessage => ({
		id,
		body: shortened(body),
		isOwn,
		status: statuses.get(id),
		file: media ? { name: media.filename, link: presignedUrl(runtime, media.filename) } : undefined,
	});
	const chats = [...store.chats.values()].sort((one, other) =>
		(other.last_message_at ?? '').localeCompare(one.last_message_at ?? ''),
	);
	const chat = chats.find(({ id }) => id === openChat) ?? chats[0];
	const messages = (chat && store.messages.get(chat.id)) ?? [];
	return {
		account: { name: store.account.name, status: store.account.status },
		switches: [...switches],
		chats: chats.slice(0, SHOWN).map(({ id, name }) => ({ id, name })),
		chat: chat ? { id: chat.id, name: chat.name, messages: messages.slice(-SHOWN).map(shownMessage) } : null,
		requests: latest(log.find({})).map(([request, key]) => ({ key, ...shownRequest(request) })),
		deliveries: latest(deliverer.records()).map(([delivery, key]) => ({ key, ...shownDelivery(delivery) })),
		webhook: webhook.config?.is_active ? webhook.config.url : null,
	};
}

/** Differs whenever something on the page differs. */
export function fingerprintOf({ store, switches, log, deliverer, statuses, webhook }: Runtime): string {
	const requests = log.find({});
	const deliveries = deliverer.records();
	return JSON.stringify([
		[...store.chats.values()].map(({ id, name }) => [id, name, store.messages.get(id)?.length]),
		requests.length,
		requests.filter(({ finishedAt }) => finishedAt === null).length,
		requests.at(-1)?.order,
		deliveries.length,
		deliveries.reduce((count, { attempts }) => count + attempts.length, 0),
		[...statuses.values()].join(),
		store.account,
		[...switches],
		webhook.config,
	]);
}
