import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';

import { close, createHttpServer, listen } from '../localServer';
import { API_PATH } from '../service/apiPath';

/** One request, as it came in. */
export interface ReceivedRequest {
	method: string;
	/** Below the base URL, without the query. */
	path: string;
	query: Record<string, string>;
	headers: IncomingHttpHeaders;
}

/** Responds to a request; `elsewhere` is the address of another host. */
export type Respond = (response: ServerResponse, elsewhere: string, request: ReceivedRequest) => void;

/** An address of its own on the server, for one run of the node. */
export interface Stub {
	baseUrl: string;
	received: ReceivedRequest[];
}

/** A server that responds as it is told, and never as the service would. */
export interface StubServer {
	/** An address where every request gets this response. */
	stub(respond: Respond): Stub;
	/** What came to the other host. */
	readonly strays: ReceivedRequest[];
	stop(): Promise<void>;
}

/** Starts the server, and another host beside it that nobody has any business with. */
export async function startStubServer(): Promise<StubServer> {
	const stubs = new Map<string, Stub & { respond: Respond }>();
	const strays: ReceivedRequest[] = [];
	const other = createHttpServer((request, response) => {
		strays.push(receivedAt(request, ''));
		response.end();
	});
	const elsewhere = `${await listen(other)}/elsewhere`;

	const server = createHttpServer((request, response) => {
		const [, name = ''] = (request.url ?? '').split('/');
		const stub = stubs.get(name);
		// A response that comes before the whole request breaks the connection for the one who still writes.
		request.resume().once('end', () => {
			if (!stub) throw new Error(`Nobody asks for ${request.url}`);
			const received = receivedAt(request, `/${name}${API_PATH}`);
			stub.received.push(received);
			stub.respond(response, elsewhere, received);
		});
	});
	const origin = await listen(server);

	return {
		strays,
		stub(respond) {
			const name = `run-${stubs.size + 1}`;
			const stub = { baseUrl: `${origin}/${name}${API_PATH}`, received: [], respond };
			stubs.set(name, stub);
			return stub;
		},
		stop: async () => {
			for (const each of [server, other]) await close(each);
		},
	};
}

function receivedAt({ method = '', url = '', headers }: IncomingMessage, prefix: string): ReceivedRequest {
	const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
	return { method, path: pathname.slice(prefix.length), query: Object.fromEntries(searchParams), headers };
}
