import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A service that takes every message after a while and does nothing else, so that the caller is what is measured. */
export interface Sink {
	/** `http://127.0.0.1:PORT`. */
	origin: string;
	/** Requests since it was last asked. */
	taken(): number;
	/** How long it takes for an answer, in milliseconds. */
	setLatency(ms: number): void;
	stop(): Promise<void>;
}

const ANSWER = JSON.stringify({ success: true, queued: true, job_id: 'job', to: '905551234567@c.us' });

/** Starts a sink on a free port of this machine. */
export async function startSink(): Promise<Sink> {
	let count = 0;
	let latency = 0;
	const server: Server = createServer((request, response) => {
		request.resume().once('end', async () => {
			count++;
			if (latency > 0) await sleep(latency);
			response.writeHead(202, { 'content-type': 'application/json' }).end(ANSWER);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		taken: () => {
			const taken = count;
			count = 0;
			return taken;
		},
		setLatency: (ms) => {
			latency = ms;
		},
		stop: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
