import { join } from 'node:path';

import { freePort } from '../support/n8n/ports';

/** What an n8n holds after a full garbage collection; memory in bytes. */
export interface Reading {
	/** JavaScript objects. */
	heapUsed: number;
	/** What such objects hold outside the heap, such as buffers. */
	external: number;
	/** All of the process, as the system counts it. */
	rss: number;
	/** Open sockets of every kind, the two that this is read through included. */
	sockets: number;
	/** Timers that keep the process alive. */
	timers: number;
	/** Unhandled rejections, uncaught exceptions and warnings of too many listeners since the start. */
	mishaps: string[];
}

/** Reads the memory of one n8n from within. */
export interface Gauge {
	/** The environment that n8n has to be started with. */
	env: Record<string, string>;
	read(): Promise<Reading>;
}

const preload = join(__dirname, 'preloaded.cjs');

/** A gauge for an n8n that is still to be started; on Linux only. */
export async function createGauge(): Promise<Gauge> {
	const port = await freePort();
	return {
		env: { NODE_OPTIONS: `--require ${JSON.stringify(preload)}`, GAUGE_PORT: String(port) },
		read: async () => (await (await fetch(`http://127.0.0.1:${port}`)).json()) as Reading,
	};
}
