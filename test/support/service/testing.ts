import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { poll } from '../poll';
import type { Service } from './service';

/** An answer with its JSON body read. */
export interface Answer {
	status: number;
	headers: Headers;
	body: Record<string, unknown>;
}

/** Calls the API of a service with its key, or another one. */
export const callerOf =
	(service: () => Service) =>
	async (method: string, path: string, body?: unknown, apiKey = service().apiKey): Promise<Answer> => {
		const response = await fetch(service().baseUrl + path, {
			method,
			headers: {
				authorization: `Bearer ${apiKey}`,
				...(body === undefined ? {} : { 'content-type': 'application/json' }),
			},
			body: body === undefined ? undefined : JSON.stringify(body),
		});
		const { status, headers } = response;
		return { status, headers, body: (await response.json()) as Record<string, unknown> };
	};

/** Asks again until the answer is good; bounded, so that a test fails rather than hangs. */
export async function eventually<Result>(
	ask: () => Promise<Result> | Result,
	good: (result: Result) => boolean,
): Promise<Result> {
	const { result } = await poll(
		async () => {
			const answer = await ask();
			return good(answer) && { result: answer };
		},
		{ timeoutMs: 300_000, failure: 'it did not happen', longestPauseMs: 10 },
	);
	return result;
}

/** One delivery as the receiver saw it. */
export interface Received {
	headers: IncomingHttpHeaders;
	body: Buffer;
}

/** A webhook receiver. */
export interface Receiver {
	url: string;
	received: Received[];
	/** Answers the next deliveries with these statuses, then 200; null leaves one unanswered. */
	answers: Array<number | null>;
	stop(): Promise<void>;
}

/** Starts a receiver on the loopback interface. */
export async function startReceiver(): Promise<Receiver> {
	const received: Received[] = [];
	const answers: Array<number | null> = [];
	// A kept connection is never closed: on a busy machine that could be the moment in which it is used again.
	const server: Server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			received.push({ headers: request.headers, body: Buffer.concat(chunks) });
			const status = answers.length > 0 ? answers.shift() : 200;
			if (status) response.writeHead(status).end(`answer ${status}`);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
		received,
		answers,
		stop: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
