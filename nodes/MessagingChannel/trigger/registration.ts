import type { Call } from '../api/call';
import type { Client } from '../api/client';
import { ApiError } from '../api/errors';
import { recordsOf } from '../api/records';
import { deleteWebhook } from '../actions/webhook/delete';
import { get } from '../actions/webhook/get';
import { set } from '../actions/webhook/set';

/** What the account's one webhook should be (API spec, "Webhooks"). */
export interface Registration {
	url: string;
	events: string[];
	timeoutSeconds: number;
}

/** The webhook points somewhere that is not ours to change. */
export class WebhookTaken extends Error {
	constructor(readonly url: string) {
		super(`The account's webhook already sends its events to ${url}`);
		this.name = 'WebhookTaken';
	}
}

/** Whether the account's webhook is already as wanted. */
export async function isRegistered(client: Client, wanted: Registration): Promise<boolean> {
	const current = await currentWebhook(client);
	return (
		current?.url === wanted.url &&
		current.timeoutSeconds === wanted.timeoutSeconds &&
		[...current.events].sort().join() === [...wanted.events].sort().join()
	);
}

/**
 * Points the account's webhook at us.
 *
 * @param replace whether to take it from another address
 * @throws WebhookTaken when it points elsewhere and must not be taken, ApiError when the service refuses
 */
export async function register(client: Client, wanted: Registration, replace: boolean): Promise<void> {
	const current = await currentWebhook(client);
	if (current && current.url !== wanted.url && !replace) throw new WebhookTaken(current.url);
	await client.call({ call: set.call, parameters: { ...wanted } });
}

/** Takes our registration back; one that has become somebody else's stays. */
export async function unregister(client: Client, url: string): Promise<void> {
	const current = await currentWebhook(client);
	if (current?.url === url) await client.call({ call: deleteWebhook.call });
}

async function currentWebhook(client: Client): Promise<Registration | undefined> {
	const [webhook] = await recordsUnlessMissing(client, get.call);
	if (!webhook || webhook.is_active === false || !webhook.url) return undefined;
	return {
		url: String(webhook.url),
		events: Array.isArray(webhook.events) ? webhook.events.map(String) : [],
		timeoutSeconds: Number(webhook.timeout_seconds),
	};
}

async function recordsUnlessMissing(client: Client, call: Call): Promise<ReturnType<typeof recordsOf>> {
	return await client.call({ call }).then(recordsOf, (error: unknown) => {
		if (error instanceof ApiError && error.httpStatus === 404) return [];
		return Promise.reject(error);
	});
}
