import { createServer, connect, type Server, type Socket } from 'node:net';
import {
	createServer as createTlsServer,
	type SecureContextOptions,
	type TlsOptions,
	type TLSSocket,
} from 'node:tls';

import { close, listen } from '../localServer';

/** A server on this machine that is not the service, or stands before it. */
export interface Stand {
	/** Its address, with `https`. */
	readonly origin: string;
	/** What it could read of the requests: nothing while the handshake fails. */
	received(): string;
	/** How many connections were made to it. */
	connections(): number;
	/** Shows another certificate from now on. */
	show(certificate: SecureContextOptions): void;
	stop(): Promise<void>;
}

/** What a server does with the first bytes of a connection. */
export type Greeting = (socket: Socket) => void;

/** What a server does once it has received a request; `raw` is the connection below TLS. */
export type Answer = (secure: TLSSocket, raw: Socket) => void;

/**
 * A server that speaks TLS and hands what it reads to the service.
 *
 * @param service the origin of the service, reached without TLS
 * @param options as Node's TLS takes them, with the certificate
 */
export async function startTlsFront(service: string, options: TlsOptions): Promise<Stand> {
	const { hostname, port } = new URL(service);
	return await startTls(options, (secure, first) => {
		const upstream = connect(Number(port), hostname);
		upstream.on('error', () => secure.destroy());
		secure.on('error', () => upstream.destroy());
		upstream.write(first);
		secure.pipe(upstream).pipe(secure);
	});
}

/** A server that speaks TLS and receives a request, and then fails. */
export async function startBreakingTls(options: TlsOptions, answer: Answer): Promise<Stand> {
	return await startTls(options, (secure, _, raw) => answer(secure, raw));
}

/** A server to which a client cannot speak TLS. */
export async function startWithoutTls(greet: Greeting): Promise<Stand> {
	let received = '';
	const server = createServer((socket) => {
		socket.on('error', () => {});
		socket.on('data', (bytes) => (received += bytes.toString('latin1')));
		greet(socket);
	});
	return await stand(server, { received: () => received, show: () => {} });
}

async function startTls(
	options: TlsOptions,
	serve: (secure: TLSSocket, first: Buffer, raw: Socket) => void,
): Promise<Stand> {
	let received = '';
	// The connections come in through a server without TLS, so that a test can reach below it.
	const raws: Socket[] = [];
	const inner = createTlsServer(options, (secure) => {
		secure.on('error', () => {});
		secure.on('data', (bytes: Buffer) => (received += bytes.toString('latin1')));
		secure.once('data', (first: Buffer) => serve(secure, first, raws.at(-1) as Socket));
	});
	inner.on('tlsClientError', () => {});
	const outer = createServer((raw) => {
		raw.on('error', () => {});
		raws.push(raw);
		inner.emit('connection', raw);
	});
	return await stand(outer, {
		received: () => received,
		show: (certificate) => inner.setSecureContext(certificate),
	});
}

async function stand(server: Server, rest: Pick<Stand, 'received' | 'show'>): Promise<Stand> {
	const open = new Set<Socket>();
	let connections = 0;
	server.on('connection', (socket: Socket) => {
		connections++;
		open.add(socket);
		socket.once('close', () => open.delete(socket));
	});
	return {
		...rest,
		origin: (await listen(server)).replace('http:', 'https:'),
		connections: () => connections,
		stop: async () => {
			for (const socket of open) socket.destroy();
			await close(server);
		},
	};
}
