import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';

import { close, createHttpServer, listen } from '../localServer';

/** One request, as it arrived. */
export interface Arrived {
	method: string;
	/** Below the base URL, without the query. */
	path: string;
	query: Record<string, string>;
	headers: IncomingHttpHeaders;
}

/** Answers a request; `elsewhere` is the address of another host. */
export type Answering = (response: ServerResponse, elsewhere: string, request: Arrived) => void;

/** A place of its own on the server, for one run of the node. */
export interface Place {
	baseUrl: string;
	arrived: Arrived[];
}

/** A server that answers as it is told, and never as the service would. */
export interface AnswerServer {
	/** A place where every request gets this answer. */
	place(answering: Answering): Place;
	/** What came to the other host. */
	readonly strays: Arrived[];
	stop(): Promise<void>;
}

const PREFIX = '/api/v1/whatsapp/external';

/** Starts the server, and another host beside it that nobody has any business with. */
export async function startAnswerServer(): Promise<AnswerServer> {
	const places = new Map<string, Place & { answering: Answering }>();
	const strays: Arrived[] = [];
	const other = createHttpServer((request, response) => {
		strays.push(arrivedAt(request, ''));
		response.end();
	});
	const elsewhere = `${await listen(other)}/elsewhere`;

	const server = createHttpServer((request, response) => {
		const [, name = ''] = (request.url ?? '').split('/');
		const place = places.get(name);
		// An answer that comes before the whole request breaks the connection for the one who still writes.
		request.resume().once('end', () => {
			if (!place) throw new Error(`Nobody asks for ${request.url}`);
			const arrived = arrivedAt(request, `/${name}${PREFIX}`);
			place.arrived.push(arrived);
			place.answering(response, elsewhere, arrived);
		});
	});
	const origin = await listen(server);

	return {
		strays,
		place(answering) {
			const name = `run-${places.size + 1}`;
			const place = { baseUrl: `${origin}/${name}${PREFIX}`, arrived: [], answering };
			places.set(name, place);
			return place;
		},
		stop: async () => {
			for (const each of [server, other]) await close(each);
		},
	};
}

function arrivedAt({ method = '', url = '', headers }: IncomingMessage, prefix: string): Arrived {
	const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
	return { method, path: pathname.slice(prefix.length), query: Object.fromEntries(searchParams), headers };
}
