import type { IncomingHttpHeaders } from 'node:http';

import { close, createHttpServer, listen } from '../localServer';
import { startService, type Service } from './service';

/** An answer with its JSON body read. */
export interface Answer {
	status: number;
	headers: Headers;
	body: Record<string, unknown>;
}

/** A service for the tests of one file, empty before each; a test after which it has a defect fails. */
export function useService(): Omit<Service, 'stop'> {
	const service = {} as Service;
	beforeAll(async () => void Object.assign(service, await startService()));
	beforeEach(async () => await service.control.reset());
	afterEach(async () => expect(await service.control.defects()).toEqual([]));
	afterAll(async () => await service.stop());
	return service;
}

/** Calls the API of a service with its key, or another one. */
export const callerOf =
	(service: () => Pick<Service, 'baseUrl' | 'apiKey'>) =>
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
	const server = createHttpServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			received.push({ headers: request.headers, body: Buffer.concat(chunks) });
			const status = answers.length > 0 ? answers.shift() : 200;
			if (status) response.writeHead(status).end(`answer ${status}`);
		});
	});
	return {
		url: `${await listen(server)}/hook`,
		received,
		answers,
		stop: async () => await close(server),
	};
}
