import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort } from '../n8n/ports';
import type { SecretWatch } from '../secrets/watch';
import { program, startServer, type Server } from './server';

/** A Redis for n8n's queue. */
export interface Redis extends Server {
	/** Where n8n finds it. The rest of the settings is in the compose file. */
	env: Record<string, string>;
	/** Ends it and removes its data. */
	remove(): Promise<void>;
}

/**
 * Starts a Redis on a free port.
 *
 * @param options what the compose file gives it
 */
export async function startRedis(options: string[], watch?: SecretWatch): Promise<Redis> {
	const folder = await mkdtemp(join(tmpdir(), 'redis-'));
	const port = await freePort();
	const settings = { port: String(port), bind: '127.0.0.1', dir: folder, save: '' };
	const server = await startServer({
		name: 'Redis',
		command: program('redis-server'),
		args: [...options, ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])],
		port,
	});
	return {
		...server,
		env: { QUEUE_BULL_REDIS_HOST: '127.0.0.1', QUEUE_BULL_REDIS_PORT: String(port) },
		remove: async () => {
			await server.stop();
			// Everything that was ever in it is in the log that it appends to.
			await watch?.lookAtFiles(folder);
			await rm(folder, { recursive: true, force: true });
		},
	};
}
