import { createServer } from 'node:net';

// Below the range from which systems take ports for outgoing connections.
const first = 16_000;
const last = 31_999;

// Each process starts somewhere else: two must not find the same port free at the same time. This step, the golden ratio
// of the range, keeps processes with neighbouring ids, such as Jest's workers, far apart.
let next = first + ((process.pid * 9_887) % (last - first));

const isFree = (port: number) =>
	new Promise<boolean>((resolve) => {
		const server = createServer();
		server.once('error', () => resolve(false));
		server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
	});

/** A port of 127.0.0.1 nobody listens on; never handed out twice by one process. */
export async function freePort(): Promise<number> {
	for (let tries = 0; tries < 1_000; tries++) {
		const port = next;
		next = next === last ? first : next + 1;
		if (await isFree(port)) return port;
	}
	throw new Error(`No free port on 127.0.0.1 between ${first} and ${last}`);
}
