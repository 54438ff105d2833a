import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

import { close, listen } from '../../support/localServer';

/** Requests that are allowed per window; a request beyond them is refused with 429. */
interface RateWindow {
	limit: number;
	seconds: number;
}

/** What arrived since it was last asked. */
export interface Taken {
	/** Requests that were not refused. */
	accepted: number;
	refused: number;
	/** Accepted messages that had been accepted before, to the same recipient with the same text. */
	duplicates: number;
	/** Bytes of all bodies. */
	bytes: number;
}

/** What a trigger told the service about its webhook. */
export interface RegisteredWebhook {
	url: string;
	secret: string;
}

/**
 * A service that takes everything and does nothing, so that the caller is what is measured. It answers messages as the
 * reference service does (API spec, "Messages" and "Limits"), and n8n's Telegram and GitHub nodes as they expect.
 */
export interface Sink {
	/** `http://127.0.0.1:PORT`. */
	origin: string;
	taken(): Taken;
	/** How long it takes for an answer, in milliseconds. */
	setLatency(ms: number): void;
	/** Begins a window; without an argument, as good as everything is allowed. */
	setRateWindow(window?: RateWindow): void;
	/** The size of the file that every GET is answered with, in bytes. */
	setFileSize(bytes: number): void;
	/** The webhook that was registered last. */
	webhook(): RegisteredWebhook;
	stop(): Promise<void>;
}

const AMPLE: RateWindow = { limit: 1_000_000, seconds: 60 };
const NOTHING: Taken = { accepted: 0, refused: 0, duplicates: 0, bytes: 0 };
const LONGEST_KEPT = 10_000;

const ANSWER = {
	success: true,
	queued: true,
	job_id: 'job',
	to: '905551234567@c.us',
	// Telegram's envelope, and a webhook of GitHub's.
	ok: true,
	result: {},
	id: 1,
	active: true,
	events: [],
};

/** Starts a sink on a free port of this machine. */
export async function startSink(): Promise<Sink> {
	let taken: Taken = { ...NOTHING };
	let latency = 0;
	let window = AMPLE;
	let opened = Date.now();
	let inWindow = 0;
	let fileSize = 0;
	let webhook: RegisteredWebhook | undefined;
	const messages = new Set<string>();

	const admit = (): boolean => {
		const past = Math.floor((Date.now() - opened) / (window.seconds * 1000));
		if (past > 0) {
			opened += past * window.seconds * 1000;
			inWindow = 0;
		}
		if (inWindow >= window.limit) return false;
		inWindow += 1;
		return true;
	};
	const rateHeaders = () => ({
		'X-RateLimit-Limit': String(window.limit),
		'X-RateLimit-Remaining': String(window.limit - inWindow),
		'X-RateLimit-Reset': String(Math.ceil(opened / 1000 + window.seconds)),
	});
	const takeMessage = (text: string) => {
		if (messages.has(text)) taken.duplicates += 1;
		messages.add(text);
	};
	const answer = async (request: IncomingMessage, response: ServerResponse) => {
		const text = await bodyOf(request, (bytes) => (taken.bytes += bytes));
		if (latency > 0) await sleep(latency);
		if (!admit()) {
			taken.refused += 1;
			const refusal = { success: false, ok: false, error: 'rate_limit_exceeded' };
			return reply(response, 429, rateHeaders(), refusal);
		}
		taken.accepted += 1;
		if (request.method === 'GET' && fileSize > 0) return replyFile(response, fileSize);
		webhook = webhookIn(text) ?? webhook;
		if (text.length > 0 && text.length < LONGEST_KEPT) takeMessage(text);
		reply(response, 202, rateHeaders(), ANSWER);
	};
	const server = createServer((request, response) => {
		answer(request, response).catch(() => response.destroy());
	});
	return {
		origin: await listen(server),
		taken: () => {
			const before = taken;
			taken = { ...NOTHING };
			messages.clear();
			return before;
		},
		setLatency: (ms) => {
			latency = ms;
		},
		setRateWindow: (next = AMPLE) => {
			window = next;
			opened = Date.now();
			inWindow = 0;
		},
		setFileSize: (bytes) => {
			fileSize = bytes;
		},
		webhook: () => {
			if (!webhook) throw new Error('No webhook was registered');
			return webhook;
		},
		stop: async () => await close(server),
	};
}

/** The body, if it is short; of a long one nothing is kept. */
async function bodyOf(request: IncomingMessage, count: (bytes: number) => void): Promise<string> {
	let text = '';
	for await (const chunk of request as AsyncIterable<Buffer>) {
		count(chunk.length);
		if (text.length < LONGEST_KEPT) text += chunk.toString();
	}
	return text;
}

function webhookIn(text: string): RegisteredWebhook | undefined {
	const telegram = /"url":"([^"]+)".*"secret_token":"([^"]+)"/.exec(text);
	const github = /"config":\{"url":"([^"]+)".*"secret":"([^"]+)"/.exec(text);
	const [, url, secret] = github ?? telegram ?? [];
	return url && secret ? { url, secret } : undefined;
}

function reply(response: ServerResponse, status: number, headers: Record<string, string>, body: object) {
	response.writeHead(status, { ...headers, 'content-type': 'application/json' }).end(JSON.stringify(body));
}

const PIECE = Buffer.alloc(64 * 1024, 'x');

function replyFile(response: ServerResponse, size: number) {
	response.writeHead(200, {
		'content-type': 'video/mp4',
		'content-length': size,
		'content-disposition': 'attachment; filename="file.mp4"',
	});
	Readable.from(
		(function* () {
			for (let left = size; left > 0; left -= PIECE.length)
				yield PIECE.subarray(0, Math.min(left, PIECE.length));
		})(),
		{ objectMode: false, highWaterMark: 16 * PIECE.length },
	).pipe(response);
}
