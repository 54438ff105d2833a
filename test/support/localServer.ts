import { once } from 'node:events';
import { createServer, request, type RequestListener, type Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

/** A server that never closes a kept connection: on a busy machine that could be the moment in which it is used again. */
export const createHttpServer = (answer: RequestListener): HttpServer =>
	createServer({ keepAliveTimeout: 0 }, answer);

/**
 * Starts a server on this machine, which nobody else can reach.
 *
 * @param port any free one unless given
 * @returns its address, `http://127.0.0.1:PORT`
 */
export async function listen(server: Server, port = 0): Promise<string> {
	server.listen(port, '127.0.0.1');
	await once(server, 'listening');
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Ends a server, and its connections if it speaks HTTP. */
export async function close(server: Server & { closeAllConnections?(): void }): Promise<void> {
	const closed = once(server, 'close');
	server.close();
	server.closeAllConnections?.();
	await closed;
}

/**
 * Passes each request on to a server on this machine.
 *
 * @param pathOf the path that it asks for there
 */
export const passOn =
	(port: number, pathOf = (url: string) => url): RequestListener =>
	(incoming, response) => {
		const { method, headers, url = '' } = incoming;
		const to = { host: '127.0.0.1', port, path: pathOf(url), method, headers };
		const outgoing = request(to, (answer) => {
			response.writeHead(answer.statusCode ?? 502, answer.headers);
			answer.pipe(response);
		});
		outgoing.on('error', () => response.destroy());
		incoming.pipe(outgoing);
	};

/** A proxy on this machine before a server, which removes a path from each request that has it. */
export const createStrippingProxy = (port: number, path: string): HttpServer =>
	createHttpServer(passOn(port, (url) => (url.startsWith(`${path}/`) ? url.slice(path.length) : url)));
