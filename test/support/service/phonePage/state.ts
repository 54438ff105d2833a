import type { Chat, Message } from '../core/records';
import type { Runtime } from '../core/runtime';
import { SHOWN, shortened, timelineOf, type TimelineLine } from './timeline';

/** A message as the page shows it. */
interface ShownMessage {
	id: string;
	body: string;
	isOwn: boolean;
	/** Milliseconds. */
	at: number;
	/** `sent`, `delivered` or `read`, of a message of the account. */
	status?: string;
	file?: { name: string; mimetype: string };
}

/** A chat in the list. */
interface ShownChat {
	id: string;
	name: string;
	/** Its latest message. */
	last?: ShownMessage;
}

/** Everything on the page. */
export interface PhoneState {
	account: { name: string; status: string };
	switches: string[];
	/** The latest first. */
	chats: ShownChat[];
	/** The one that is open. */
	chat: { id: string; name: string; messages: ShownMessage[] } | null;
	/** The latest first. */
	timeline: TimelineLine[];
	/** Whether the page can lead to the execution of an event. */
	hasExecutions: boolean;
	webhook: string | null;
}

function shownMessage(
	runtime: Runtime,
	{ id, body, from_me: isOwn, media, timestamp }: Message,
): ShownMessage {
	const status = runtime.statuses.get(id);
	const shown = { id, body: shortened(body), isOwn, at: timestamp * 1000, status };
	return media ? { ...shown, file: { name: media.filename, mimetype: media.mimetype } } : shown;
}

/** What the page shows. */
export function stateOf(runtime: Runtime, openChat: string | undefined, hasExecutions: boolean): PhoneState {
	const { store, switches, webhook } = runtime;
	const messagesOf = ({ id }: Chat) => store.messages.get(id) ?? [];
	const chats = [...store.chats.values()].sort((one, other) =>
		(other.last_message_at ?? '').localeCompare(one.last_message_at ?? ''),
	);
	const chat = chats.find(({ id }) => id === openChat);
	const shown = (message: Message) => shownMessage(runtime, message);
	return {
		account: { name: store.account.name, status: store.account.status },
		switches: [...switches],
		chats: chats.slice(0, SHOWN).map((one) => {
			const last = messagesOf(one).at(-1);
			return { id: one.id, name: one.name, last: last && shown(last) };
		}),
		chat: chat ? { id: chat.id, name: chat.name, messages: messagesOf(chat).slice(-SHOWN).map(shown) } : null,
		timeline: timelineOf(runtime),
		hasExecutions,
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
