import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Express, Request, Response } from 'express';

import type { DeliveryRecord, RequestRecord } from '../control';
import { presignedUrl } from '../links';
import type { Message } from '../records';
import type { Runtime } from '../runtime';

/** The latest ones; older ones are in the control API. */
const SHOWN_RECORDS = 100;

/** How often the service looks whether the pages have to change. */
const CHECK_INTERVAL_MS = 200;

const TYPES = new Map([
	['index.html', 'text/html'],
	['phone.css', 'text/css'],
	['phone.js', 'text/javascript'],
]);

/** A message as the page shows it. */
interface ShownMessage extends Message {
	/** `sent`, `delivered` or `read`, of a message of the account. */
	status?: string;
	link?: string;
}

/** Everything on the page. */
export interface PhoneState {
	account: { name: string; status: string };
	chats: Array<{ id: string; name: string; messages: ShownMessage[] }>;
	/** The latest first, as are the deliveries. */
	requests: RequestRecord[];
	deliveries: DeliveryRecord[];
	webhook: string | null;
}

/** Serves a page that looks like a phone at `/phone`: the other side of every chat, and what n8n and the service exchange. */
export function servePhonePage(app: Express, current: () => Runtime): void {
	app.get('/phone', (_request, response) => void response.redirect('/phone/index.html'));
	app.get('/phone/state', (_request, response) => void response.json(stateOf(current())));
	app.get('/phone/changes', (request, response) => announceChanges(request, response, current));
	app.get('/phone/:file', async (request, response) => {
		const type = TYPES.get(request.params.file);
		if (!type) return void response.status(404).end();
		response.type(type).send(await readFile(join(__dirname, request.params.file), 'utf8'));
	});
}

/** Server-sent events: one whenever the state has changed. */
function announceChanges(request: Request, response: Response, current: () => Runtime): void {
	response.set({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
	let announced = '';
	const announce = () => {
		const state = fingerprintOf(current());
		if (state === announced) return;
		announced = state;
		response.write('data: changed\n\n');
	};
	announce();
	const timer = setInterval(announce, CHECK_INTERVAL_MS);
	request.on('close', () => clearInterval(timer));
}

/** Differs whenever something on the page differs. */
function fingerprintOf({ store, log, deliverer, statuses, webhook }: Runtime): string {
	const messages = [...store.messages.values()].reduce((count, chat) => count + chat.length, 0);
	const requests = log.find({});
	const deliveries = deliverer.records();
	const attempts = deliveries.reduce((count, { attempts: own }) => count + own.length, 0);
	return JSON.stringify([
		messages,
		requests.length,
		requests.filter(({ finishedAt }) => finishedAt === null).length,
		requests.at(-1)?.order,
		deliveries.length,
		attempts,
		[...statuses.values()].join(),
		store.account.status,
		webhook.config?.url,
	]);
}

function stateOf(runtime: Runtime): PhoneState {
	const { store, log, deliverer, statuses, webhook } = runtime;
	const shown = (message: Message): ShownMessage => ({
		...message,
		status: statuses.get(message.id),
		...(message.media ? { link: presignedUrl(runtime, message.media.filename) } : {}),
	});
	const chats = [...store.chats.values()].sort((one, other) =>
		(other.last_message_at ?? '').localeCompare(one.last_message_at ?? ''),
	);
	return {
		account: { name: store.account.name, status: store.account.status },
		chats: chats.map(({ id, name }) => ({ id, name, messages: (store.messages.get(id) ?? []).map(shown) })),
		requests: log.find({}).slice(-SHOWN_RECORDS).reverse(),
		deliveries: deliverer.records().slice(-SHOWN_RECORDS).reverse(),
		webhook: webhook.config?.is_active ? webhook.config.url : null,
	};
}
