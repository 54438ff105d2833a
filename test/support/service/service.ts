import express, { type Express, type NextFunction, type Request, type Response } from 'express';

import { close, createHttpServer, listen } from '../localServer';
import { serve } from './api';
import { API_PATH } from './apiPath';
import { connectControl, type Control } from './core/control';
import { createControl, type ServedControl } from './core/controlServer';
import { fileReply } from './core/fileReply';
import { isGoodLink } from './core/links';
import { openMedia } from './core/mediaStore';
import { onlyOwnPages } from './onlyOwnPages';
import { watchSchedule } from './resources/scheduledMessages';
import { servePhonePage, type FindExecution } from './phonePage/phonePage';
import { createRuntime, type Runtime } from './core/runtime';

/** How the service starts. */
export interface ServiceOptions {
	/** 0, the default, takes any free port. */
	port?: number;
	/** In production the webhook URL must be HTTPS ("Webhooks", rules). */
	production?: boolean;
	/** The address that others know it by, in links to files; its own unless given. */
	publicOrigin?: string;
	/** A key that holds every permission. */
	apiKey?: string;
	/** The webhook secret before the first rotation. */
	signingSecret?: string;
	/** Ids and delays are drawn from it. */
	seed?: number;
	/** The certificate of the one authority that deliveries trust, in PEM; the usual ones unless given. */
	trusted?: string;
	/** Leads from the phone page to n8n. */
	findExecution?: FindExecution;
	/** Sees every request, those to `control` apart, before its body is read. */
	onRequest?: (request: Request) => void;
}

/** A running service. */
export interface Service {
	/** `http://127.0.0.1:PORT` */
	origin: string;
	/** `origin` with the path of the API: what the specification calls `{base_url}`. */
	baseUrl: string;
	apiKey: string;
	control: Control;
	/** Closes every socket and timer. */
	stop(): Promise<void>;
}

function serveControl(app: Express, control: ServedControl): void {
	const methods = control as unknown as Record<string, (argument: unknown) => unknown>;
	const parseJson = express.json({ limit: '64mb', strict: false, type: () => true });
	app.post('/control/:method', parseJson, async (request, response) => {
		const name = String(request.params.method);
		const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
		if (!method) return void response.status(404).json({ error: 'There is no such method.' });
		response.json({ result: await method((request.body as unknown) ?? {}) });
	});
}

/** Answers a request that the control API cannot take, in words that the phone page shows. */
function refuse(error: Error, _request: Request, response: Response, next: NextFunction): void {
	if (response.headersSent) return next(error);
	const { status = 400 } = error as { status?: number };
	response.status(status).json({ error: error.message });
}

function serveLinks(app: Express, current: () => Runtime): void {
	app.get('/links/:filename', (request, response) => {
		const { filename } = request.params;
		const { expires, token } = request.query;
		const stored = current().media.find(filename);
		const stream = stored && openMedia(stored);
		const good = isGoodLink(current(), filename, Number(expires), String(token));
		if (!stored || !stream || !good) {
			response.status(404).json({ success: false, error: 'not_found', message: 'The link is not good.' });
			return;
		}
		const reply = fileReply(stored, stream, 'inline', true);
		if ('headers' in reply) response.set(reply.headers);
		// A page that somebody sent must not act as the phone page, which has the same origin.
		response.set('Content-Security-Policy', 'sandbox');
		stream.pipe(response);
		response.on('close', () => stream.destroy());
	});
}

/** Starts the service on the loopback interface. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
	const { port = 0, apiKey = 'demo-api-key', production = false, signingSecret, seed = 1, trusted } = options;
	const app = express().disable('x-powered-by').disable('etag').set('query parser', 'simple');
	const server = createHttpServer(app);
	// Only this machine reaches it: the control API asks for no key.
	const origin = await listen(server, port);

	const start = (): Runtime => {
		const fresh = createRuntime(options.publicOrigin ?? origin, {
			apiKey,
			production,
			signingSecret,
			seed,
			trusted,
		});
		watchSchedule(fresh);
		return fresh;
	};
	let runtime = start();
	const current = () => runtime;
	const reset = () => {
		runtime.stop();
		runtime = start();
	};
	const control = createControl(current, reset);
	const ownPaths = ['/control', '/phone'];
	app.use(ownPaths, onlyOwnPages);
	serveControl(app, control);
	// A browser asks for it beside a file that it shows; n8n has not asked for anything.
	app.get('/favicon.ico', (_request, response) => void response.status(204).end());
	servePhonePage(app, control, current, options.findExecution);
	app.use(ownPaths, refuse);
	app.use((request, _response, next) => {
		options.onRequest?.(request);
		next();
	});
	serveLinks(app, current);
	app.use((request, response) => serve(runtime, request, response));

	return {
		origin,
		baseUrl: origin + API_PATH,
		apiKey,
		control: connectControl(origin),
		stop: async () => {
			runtime.stop();
			await close(server);
		},
	};
}
