import { request, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';

import { sign } from '../service/core/signature';

/** What the service's own delivery cannot be made to be: a request of any shape. */
export interface OddDelivery {
	url: string;
	method?: string;
	body?: string | Buffer;
	/** Laid over the right ones; undefined leaves one out, an array sends it more than once. */
	headers?: Record<string, string | string[] | undefined>;
	secret: string;
}

let ids = 0;

/** Sends it and resolves with the answer; its status is 0 when the connection was cut. */
export async function send(delivery: OddDelivery): Promise<{ status: number; body: string }> {
	const body = Buffer.from(delivery.body ?? '');
	ids += 1;
	const headers: Record<string, string | string[] | undefined> = {
		'Content-Type': 'application/json',
		'Content-Length': String(body.length),
		'X-Service-Signature': sign(body, delivery.secret),
		'X-Service-Timestamp': String(Math.floor(Date.now() / 1000)),
		'X-Service-Event': 'message.received',
		'X-Service-Event-Id': `odd-${process.pid}-${ids}`,
		'X-Service-Account-Id': 'account-1',
		...delivery.headers,
	};
	const sent: OutgoingHttpHeaders = Object.fromEntries(
		Object.entries(headers).filter(([, value]) => value !== undefined),
	);
	return await new Promise((resolve) => {
		// n8n can answer and cut the connection before it has all of a body: a pooled socket fails then where nobody listens.
		const outgoing = request(delivery.url, {
			method: delivery.method ?? 'POST',
			headers: sent,
			agent: false,
		});
		outgoing.on('error', ({ message }) => resolve({ status: 0, body: message }));
		outgoing.on('response', (response: IncomingMessage) => {
			const chunks: Buffer[] = [];
			response.on('data', (chunk: Buffer) => chunks.push(chunk));
			// Also after an answer that was cut.
			response.on('close', () =>
				resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }),
			);
		});
		outgoing.end(body);
	});
}
