import express from 'express';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

import { close, createHttpServer, listen } from '../../support/localServer';

/** What is as it is until it is set: how late it answers in milliseconds, how often, and with a file of so many bytes. */
const AMPLE = { latency: 0, rateWindow: { limit: 1_000_000, seconds: 60 }, fileSize: 0 };

/** What arrived: requests that were not refused, those of them with a body that had been accepted, and bytes of all bodies. */
const NOTHING = { accepted: 0, duplicates: 0, bytes: 0 };

const LONGEST_KEPT = 10_000;
const PIECE = Buffer.alloc(64 * 1024, 'x');

// The second half is Telegram's envelope.
const ANSWER = { success: true, queued: true, job_id: 'job', to: '905551234567@c.us', ok: true, result: {} };

export type Sink = Awaited<ReturnType<typeof startSink>>;

/**
 * Starts a service that takes everything and does nothing, so that the caller is what is measured. It answers messages as the
 * reference service does, and n8n's Telegram node as that expects.
 */
export async function startSink() {
	let taken = { ...NOTHING };
	let behaviour = AMPLE;
	let opened = Date.now();
	let inWindow = 0;
	const bodies = new Set<string>();

	const admit = (): boolean => {
		const { limit, seconds } = behaviour.rateWindow;
		const past = Math.floor((Date.now() - opened) / (seconds * 1000));
		if (past > 0) {
			opened += past * seconds * 1000;
			inWindow = 0;
		}
		return ++inWindow <= limit;
	};
	const app = express().disable('x-powered-by').disable('etag');
	app.use(async (request, response) => {
		let body = '';
		for await (const chunk of request as AsyncIterable<Buffer>) {
			taken.bytes += chunk.length;
			if (body.length < LONGEST_KEPT) body += chunk.toString();
		}
		const { latency, rateWindow, fileSize } = behaviour;
		if (latency > 0) await sleep(latency);
		const isAdmitted = admit();
		response.set({
			'X-RateLimit-Limit': String(rateWindow.limit),
			'X-RateLimit-Remaining': String(Math.max(0, rateWindow.limit - inWindow)),
			'X-RateLimit-Reset': String(Math.ceil(opened / 1000 + rateWindow.seconds)),
		});
		if (!isAdmitted) return void response.status(429).json({ ok: false, error: 'rate_limit_exceeded' });
		taken.accepted += 1;
		if (request.method === 'GET' && fileSize > 0) {
			response.set({ 'Content-Type': 'video/mp4', 'Content-Length': String(fileSize) });
			return void Readable.from(pieces(fileSize), { objectMode: false }).pipe(response);
		}
		if (bodies.has(body) && body.length < LONGEST_KEPT) taken.duplicates += 1;
		bodies.add(body);
		response.status(202).json(ANSWER);
	});
	const server = createHttpServer(app);
	return {
		/** `http://127.0.0.1:PORT`. */
		origin: await listen(server),
		/** What arrived since it was last asked. */
		taken: () => {
			const before = taken;
			taken = { ...NOTHING };
			bodies.clear();
			return before;
		},
		set: (next: Partial<typeof AMPLE>) => {
			behaviour = { ...behaviour, ...next };
			opened = Date.now();
			inWindow = 0;
		},
		stop: async () => await close(server),
	};
}

function* pieces(size: number): Generator<Buffer> {
	for (let left = size; left > 0; left -= PIECE.length) yield PIECE.subarray(0, Math.min(left, PIECE.length));
}
