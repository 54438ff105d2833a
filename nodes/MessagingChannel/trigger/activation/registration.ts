import { DELETE_WEBHOOK, GET_WEBHOOK, SET_WEBHOOK } from '../../api/endpoints';
import type { Client } from '../../api/client';
import { ApiError } from '../../api/errors';
import { recordsOf } from '../../api/records';
import { snapshotIn, withoutQuery, withSnapshot, type Registration } from './webhookSnapshot';

/** How the account's webhook is wanted. */
export interface DesiredWebhook extends Registration {
	/** The end of the address that n8n's test and production addresses for this trigger share. */
	tail: string;
	/** Whether somebody only listens for a test event. */
	isTest: boolean;
	/** Whether it may be taken from another address. */
	replace: boolean;
}

/** The webhook points somewhere that is not ours to change. */
export class WebhookTaken extends Error {
	/** Without its query, which may hold what is not for a log. */
	readonly url: string;

	constructor({ url, since }: Current) {
		super(
			`The account's webhook already sends its events to ${withoutQuery(url)}${since ? `, since ${since}` : ''}`,
		);
		this.name = 'WebhookTaken';
		this.url = withoutQuery(url);
	}
}

interface Current extends Registration {
	/** When it was set, where the service says so. */
	since?: string;
}

/** What the account's webhook is before it is changed. */
export interface Before {
	/** How it is set, if it is. */
	current?: Current;
	/** The same, if that is not this trigger's doing. */
	foreign?: Current;
}

/**
 * Looks what the account's webhook is now (API spec, "Webhooks"). It is ours when it has an address of this trigger, of
 * test or production, or is only borrowed from one.
 */
export async function webhookBefore(
	client: Client,
	own: Pick<DesiredWebhook, 'url' | 'tail'>,
): Promise<Before> {
	const current = await currentWebhook(client);
	if (!current) return {};
	const lent = snapshotIn(current.url);
	const isOurs =
		withoutQuery(current.url) === own.url || isSibling(current.url, own) || (lent && isSnapshotOf(own, lent));
	return isOurs ? { current } : { current, foreign: current };
}

/**
 * Points the account's one webhook here. A test only borrows it: what it was before travels in the test address, so that
 * the end of the test can give it back exactly, whatever happened to n8n in between.
 *
 * @throws WebhookTaken when it points elsewhere and must not be taken, ApiError when the service refuses
 */
export async function register(
	client: Client,
	desired: DesiredWebhook,
	{ current, foreign }: Before,
): Promise<void> {
	if (foreign && !desired.replace) throw new WebhookTaken(foreign);
	const lent = desired.isTest && current ? snapshotToKeep(current, desired) : undefined;
	await setWebhook(client, lent ? { ...desired, url: withSnapshot(desired.url, lent) } : desired, current);
}

/**
 * Takes our registration back. What it was taken from is given back; one that has become somebody else's stays.
 *
 * @param own the address that n8n has for this trigger, of test or production
 * @param replaced what the webhook was before a publication that has not succeeded
 */
export async function unregister(
	client: Client,
	own: Pick<DesiredWebhook, 'url' | 'tail'>,
	replaced?: Registration,
): Promise<void> {
	const current = await currentWebhook(client);
	if (!current) return;
	const lent = snapshotIn(current.url);
	if (withoutQuery(current.url) === own.url) {
		const before = replaced ?? lent;
		if (before) await setWebhook(client, before);
		else await client.call({ endpoint: DELETE_WEBHOOK });
	} else if (lent && isSnapshotOf(own, lent)) {
		// Production ends while a test has its webhook: there is nothing to give back any more.
		await setWebhook(client, { ...current, url: withoutQuery(current.url) });
	}
}

/** Makes the webhook what it is to be; when it is that already, nothing is sent. */
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

async function currentWebhook(client: Client): Promise<Current | undefined> {
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
 * What a test owes for the webhook that it takes. From another test it takes over the debt, as the address of a test is
 * dead once that test has ended.
 */
function snapshotToKeep(current: Current, { url, tail }: DesiredWebhook): Registration | undefined {
	const testAddresses = url.slice(0, -tail.length);
	const isTest = testAddresses !== '' && current.url.startsWith(testAddresses);
	return snapshotIn(current.url) ?? (isTest ? undefined : current);
}

function isSnapshotOf(own: Pick<DesiredWebhook, 'url'>, lent: Registration): boolean {
	return withoutQuery(lent.url) === own.url;
}

/** Whether an address is this trigger's other one: that of production for a test, or the other way round. */
function isSibling(url: string, own: Pick<DesiredWebhook, 'url' | 'tail'>): boolean {
	if (!URL.canParse(url) || !URL.canParse(own.url)) return false;
	const plain = withoutQuery(url);
	return new URL(plain).origin === new URL(own.url).origin && plain.endsWith(`/${own.tail}`);
}
