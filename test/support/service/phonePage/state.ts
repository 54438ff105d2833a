import orderBy from 'lodash/orderBy';

import type { Message } from '../core/records';
import type { Runtime } from '../core/runtime';
import { SHOWN, shortened, timelineOf } from './timeline';

/** What the page shows: the latest chats and lines of the timeline first. */
export function stateOf(runtime: Runtime, openChat: string, hasExecutions: boolean) {
	const { store, switches, webhook, statuses } = runtime;
	const { name, status } = store.account;
	const shown = ({ id, body, from_me: isOwn, media, timestamp }: Message) => ({
		...{ id, body: shortened(body), isOwn, at: timestamp * 1000, status: statuses.get(id) },
		file: media ? { name: media.filename, mimetype: media.mimetype } : undefined,
	});
	const messagesOf = (id: string) => store.messages.get(id) ?? [];
	const chats = orderBy([...store.chats.values()], ({ last_message_at: at }) => at ?? '', 'desc');
	const chat = store.chats.get(openChat);
	return {
		account: { name, status },
		switches: [...switches],
		chats: chats.slice(0, SHOWN).map(({ id, name: called }) => {
			const last = messagesOf(id).at(-1);
			return { id, name: called, last: last && shown(last) };
		}),
		/** The one that is open. */
		chat: chat ? { ...chat, messages: messagesOf(openChat).slice(-SHOWN).map(shown) } : null,
		timeline: timelineOf(runtime),
		/** Whether the page can lead to the execution of an event. */
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
		[requests.length, requests.at(-1)?.order],
		requests.filter(({ finishedAt }) => finishedAt === null).length,
		[deliveries.length, deliveries.flatMap(({ attempts }) => attempts).length],
		[...statuses.values()].join(),
		[store.account, [...switches], webhook.config],
	]);
}
