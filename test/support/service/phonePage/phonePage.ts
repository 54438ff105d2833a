import type { ServerResponse } from 'node:http';
import express, { type Express, type Request, type Response } from 'express';

import { invalid } from '../core/apiError';
import { presignedUrl } from '../core/links';
import type { ServedControl } from '../core/controlServer';
import type { Runtime } from '../core/runtime';
import { fingerprintOf, stateOf } from './state';
import { partsOf } from './timeline';
import { turn } from './switches';

/** How often the service looks whether the pages have to change. */
const CHECK_INTERVAL_MS = 200;

/** Nothing that somebody sends becomes a part of the page, and no other page can show it as its own. */
const POLICY =
	"default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'";

/** Finds the execution that an event, first delivered at `since` (milliseconds), started in n8n: its URL. */
export type FindExecution = (eventId: string, since: number) => Promise<string | undefined>;

/** Serves a page that looks like a phone at `/phone`: the other side of every chat, and what n8n and the service exchange. */
export function servePhonePage(
	app: Express,
	control: ServedControl,
	current: () => Runtime,
	findExecution?: FindExecution,
): void {
	const parseJson = express.json({ type: () => true });
	app.get('/phone/state', ({ query }, response) => {
		response.json(stateOf(current(), String(query.chat), findExecution !== undefined));
	});
	app.get('/phone/media', ({ query }, response) => {
		// Under the address of this page, whatever others call the service.
		const { pathname, search } = new URL(presignedUrl(current(), String(query.name)));
		response.redirect(pathname + search);
	});
	app.get('/phone/parts', ({ query }, response) => {
		response.json(partsOf(current(), String(query.key)));
	});
	app.get('/phone/execution', async ({ query }, response) => {
		const eventId = String(query.event);
		const delivery = current()
			.deliverer.records()
			.find((record) => record.eventId === eventId);
		const url = await findExecution?.(eventId, delivery?.attempts[0]?.at ?? 0);
		if (url !== undefined) return void response.redirect(url);
		response.status(404).type('text');
		response.send(
			'n8n has no execution of this event, or has not finished it yet: close this page, and try again.',
		);
	});
	app.get('/phone/changes', (request, response) => announceChanges(request, response, current));
	const setHeaders = (response: ServerResponse) => void response.setHeader('Content-Security-Policy', POLICY);
	app.use('/phone', express.static(__dirname, { setHeaders, etag: false, lastModified: false }));
	app.post('/phone/switches', parseJson, ({ body }, response) => {
		const { name, isOn } = body as { name: unknown; isOn: unknown };
		turn(control, current(), String(name), isOn === true);
		response.json({});
	});
	app.post('/phone/deliverAgain', parseJson, async ({ body }, response) => {
		const { eventId } = body as { eventId: unknown };
		const delivery = current()
			.deliverer.records()
			.find((record) => record.eventId === eventId);
		if (!delivery) throw invalid('There is no such event any more.');
		await control.deliver({ body: delivery.body, event: delivery.event, eventId: delivery.eventId });
		response.json({});
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
