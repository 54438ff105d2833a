import { DELETE_WEBHOOK, GET_WEBHOOK, SET_WEBHOOK } from '../../api/endpoints';
import type { Client } from '../../api/client';
import { ApiError } from '../../api/errors';
import { recordsOf } from '../../api/records';
import { snapshotIn, withoutQuery, withSnapshot, type Registration } from './webhookSnapshot';

/** The webhook that a trigger needs. */
export interface DesiredWebhook extends Registration {
	/** The end of the URL, which the test and production URLs of a trigger share. */
	tail: string;
	/** Whether the trigger only listens for a test event. */
	isTest: boolean;
	/** Whether a webhook with another URL may be replaced. */
	replace: boolean;
}

/** The account's webhook is in use by another URL and must not be replaced. */
export class WebhookTaken extends Error {
	/** Without its query, which may contain secrets. */
	readonly url: string;

	constructor({ url, since }: CurrentWebhook) {
		super(`The account's webhook already points to ${withoutQuery(url)}${since ? `, since ${since}` : ''}`);
		this.name = 'WebhookTaken';
		this.url = withoutQuery(url);
	}
}

interface CurrentWebhook extends Registration {
	/** When the webhook was set, if the service reports it. */
	since?: string;
}

/** The account's webhook before a change. */
export interface WebhookState {
	/** The current webhook; undefined if there is none. */
	current?: CurrentWebhook;
	/** The current webhook, if it does not belong to this trigger. */
	foreign?: CurrentWebhook;
}

/**
 * Reads the account's webhook (API spec, "Webhooks"). It belongs to this trigger if its URL, or the URL in its snapshot,
 * is the trigger's test or production URL.
 *
 * @throws ApiError if the request fails
 */
export async function readWebhookState(
	client: Client,
	own: Pick<DesiredWebhook, 'url' | 'tail'>,
): Promise<WebhookState> {
	const current = await currentWebhook(client);
	if (!current) return {};
	const snapshot = snapshotIn(current.url);
	const isOurs =
		withoutQuery(current.url) === own.url ||
		isSibling(current.url, own) ||
		(snapshot && isSnapshotOf(own, snapshot));
	return isOurs ? { current } : { current, foreign: current };
}

/**
 * Sets the account's webhook to this trigger. The URL of a test run contains a snapshot of the previous webhook, so that
 * the end of the test can restore it even after a restart of n8n.
 *
 * @throws WebhookTaken if another URL has the webhook and must not be replaced; ApiError if the request fails
 */
export async function register(
	client: Client,
	desired: DesiredWebhook,
	{ current, foreign }: WebhookState,
): Promise<void> {
	if (foreign && !desired.replace) throw new WebhookTaken(foreign);
	const snapshot = desired.isTest && current ? snapshotToKeep(current, desired) : undefined;
	await setWebhook(
		client,
		snapshot ? { ...desired, url: withSnapshot(desired.url, snapshot) } : desired,
		current,
	);
}

/**
 * Removes this trigger's registration and restores the previous webhook, if there was one. A webhook of somebody else
 * stays as it is.
 *
 * @param own the test or production URL of this trigger
 * @param replaced the webhook that a failed activation replaced
 * @throws ApiError if a request fails
 */
export async function unregister(
	client: Client,
	own: Pick<DesiredWebhook, 'url' | 'tail'>,
	replaced?: Registration,
): Promise<void> {
	const current = await currentWebhook(client);
	if (!current) return;
	const snapshot = snapshotIn(current.url);
	if (withoutQuery(current.url) === own.url) {
		const previous = replaced ?? snapshot;
		if (previous) await setWebhook(client, previous);
		else await client.call({ endpoint: DELETE_WEBHOOK });
	} else if (snapshot && isSnapshotOf(own, snapshot)) {
		// Production ends during a test run, so the test must not restore it later.
		await setWebhook(client, { ...current, url: withoutQuery(current.url) });
	}
}

/**
 * Sets the account's webhook. Sends nothing if the current webhook is already the same.
 *
 * @throws ApiError if the request fails
 */
export async function setWebhook(
	client: Client,
	{ url, events, timeoutSeconds }: Registration,
	current?: Registration,
): Promise<void> {
	const isSame =
		current?.url === url &&
		current.timeoutSeconds === timeoutSeconds &&
		[...current.events].sort().join() === [...events].sort().join();
	if (!isSame) await client.call({ endpoint: SET_WEBHOOK, parameters: { url, events, timeoutSeconds } });
}

async function currentWebhook(client: Client): Promise<CurrentWebhook | undefined> {
	const [webhook] = await client
		.call({ endpoint: GET_WEBHOOK })
		.then(recordsOf, async (error: unknown) =>
			error instanceof ApiError && error.httpStatus === 404 ? [] : await Promise.reject(error),
		);
	if (!webhook || webhook.is_active === false || !webhook.url) return undefined;
	const since = webhook.updated_at ?? webhook.created_at;
	return {
		url: String(webhook.url),
		events: Array.isArray(webhook.events) ? webhook.events.map(String) : [],
		timeoutSeconds: Number(webhook.timeout_seconds),
		since: typeof since === 'string' ? since : undefined,
	};
}

/**
 * The webhook to restore after a test run. If another test run has the webhook, its snapshot is kept, because its own URL
 * stops working when that test ends.
 */
function snapshotToKeep(current: CurrentWebhook, { url, tail }: DesiredWebhook): Registration | undefined {
	const testUrlPrefix = url.slice(0, -tail.length);
	const isTest = testUrlPrefix !== '' && current.url.startsWith(testUrlPrefix);
	return snapshotIn(current.url) ?? (isTest ? undefined : current);
}

function isSnapshotOf(own: Pick<DesiredWebhook, 'url'>, snapshot: Registration): boolean {
	return withoutQuery(snapshot.url) === own.url;
}

/** Whether a URL is this trigger's other URL: production for a test run, or the reverse. */
function isSibling(url: string, own: Pick<DesiredWebhook, 'url' | 'tail'>): boolean {
	if (!URL.canParse(url) || !URL.canParse(own.url)) return false;
	const bareUrl = withoutQuery(url);
	return new URL(bareUrl).origin === new URL(own.url).origin && bareUrl.endsWith(`/${own.tail}`);
}
