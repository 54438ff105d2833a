import { Agent, request } from 'node:http';

import { sign } from '../../support/service/core/signature';

/** A request that a service makes to a webhook. */
export interface Delivery {
	url: string;
	headers: Record<string, string>;
	body: string;
}

/** Connections that are kept open for as long as deliveries follow each other: n8n closes what is idle for five seconds. */
export const openConnections = (): Agent => new Agent({ keepAlive: true });

/** Makes it, and resolves with the status of the answer. */
export async function post({ url, headers, body }: Delivery, agent: Agent): Promise<number> {
	return await new Promise((resolve, reject) => {
		const length = String(Buffer.byteLength(body));
		const outgoing = request(url, {
			method: 'POST',
			agent,
			headers: { 'Content-Type': 'application/json', 'Content-Length': length, ...headers },
		});
		outgoing.once('error', reject);
		outgoing.once('response', (response) => {
			response.resume().once('end', () => resolve(response.statusCode ?? 0));
		});
		outgoing.end(body);
	});
}

/** The headers of the service (API spec, "Delivery request headers"). */
export const ourHeaders = (
	body: string,
	secret: string,
	eventId: string,
	event = 'message.received',
): Record<string, string> => ({
	'X-Service-Signature': sign(body, secret),
	'X-Service-Timestamp': String(Math.floor(Date.now() / 1000)),
	'X-Service-Event': event,
	'X-Service-Event-Id': eventId,
	'X-Service-Account-Id': 'account-1',
});
