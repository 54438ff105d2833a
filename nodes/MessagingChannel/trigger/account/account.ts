import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { accountDigestIn } from '../../api/authentication';
import type { ChatList } from '../../api/message';
import { idOf } from '../../api/values';
import { createSerialQueue, type SerialQueue } from '../../n8n/serialQueue';
import { shownUrl } from '../../webhook/sharedUrl';
import { normalUrl } from '../../webhook/url';
import type { Subscriber } from '../../webhook/subscribers';
import { createKnownWebhook, type KnownWebhook } from './knownWebhook';
import { createReceiver, type Receiver } from './receiver';

/** A secret that has verified an event proves itself for so long. */
const PROOF_TTL_MS = 5 * 60_000;

/**
 * What this process knows of one account of a service: its webhook, who receives its events and how each of them does.
 * Activation, delivery and repair ask it. What they then do is in `decisions.ts`. All times are those of `clock.elapsed`.
 */
export interface Account {
	/** What is registered. */
	readonly webhook: KnownWebhook;
	/** Whose the API key is. */
	readonly owner: Owner;
	/** The chats as a trigger read them last, and what ends that trigger. */
	chats?: { readAt: number; list: Promise<ChatList>; stopped: AbortSignal };
	/** What was delivered to this process, not counting what another trigger forwarded. */
	readonly deliveries: Deliveries;
	/** What the triggers of this process that fetch messages did last, by trigger. */
	readonly fetches: Map<string, Fetch>;
	/** How a receiver does. */
	receiver(subscriber: Pick<Subscriber, 'url' | 'kind'>): Receiver;
	/** Notes that a secret has verified an event that names this account in its body. */
	noteProof(accountId: unknown, secret: string, now: number): void;
	/** Whether it has done so within the last five minutes. */
	isProven(accountId: unknown, secret: string, now: number): boolean;
	/** The whole state, in one line for the log. */
	describe(now: number): string;
}

/** What a trigger that polls or catches up did last. */
export interface Fetch {
	workflow: string | undefined;
	isPolling: boolean;
	/** That of `clock.elapsed`. */
	at: number;
	/** How many chats with new messages are still to be read. */
	left: number;
	/** Why it failed; undefined if it did not. */
	problem?: string;
}

function createAccount(): Account {
	const webhook = createKnownWebhook();
	const receivers = new Map<string, Receiver>();
	let proof: { accountId: string; secret: string; at: number } | undefined;
	return {
		webhook,
		owner: createOwner(),
		deliveries: createDeliveries(),
		fetches: new Map(),
		receiver({ url, kind }) {
			const key = `${kind} ${normalUrl(url)}`;
			const receiver = receivers.get(key) ?? createReceiver(kind);
			receivers.set(key, receiver);
			return receiver;
		},
		noteProof(accountId, secret, at) {
			const id = idOf(accountId);
			if (id !== undefined) proof = { accountId: id, secret, at };
		},
		isProven: (accountId, secret, now) =>
			proof?.accountId === accountId && proof?.secret === secret && now - proof.at <= PROOF_TTL_MS,
		describe(now) {
			const troubled = [...receivers].flatMap(([key, receiver]) => {
				const words = receiver.describe(now);
				return words === undefined ? [] : [`${shownUrl(key)} is ${words}`];
			});
			const secret = proof
				? `an event verified ${Math.round((now - proof.at) / 1000)} s ago`
				: 'no event verified';
			return [`webhook ${webhook.describe(now)}`, secret, ...troubled].join('; ');
		},
	};
}

/** By service and API key, so that all triggers of this process with one key share what they know. */
const accounts = new Map<string, Account>();

/** The account of a key. */
export function accountAt(digest: string): Account {
	const account = accounts.get(digest) ?? createAccount();
	accounts.set(digest, account);
	return account;
}

/** The account of a credential. */
export function accountIn(credential: ICredentialDataDecryptedObject): Account {
	return accountAt(accountDigestIn(credential));
}

/**
 * Notes that this process sets the webhook of an account, or leaves it as it is, also for other keys whose triggers have the same
 * hub: several keys can belong to one account.
 *
 * @param url undefined if the webhook is removed
 */
export function noteWebhookSet(account: Account, url: string | undefined): void {
	for (const other of accounts.values())
		if (url !== undefined && other.webhook.hasHub(url)) other.webhook.noteSet(url);
	account.webhook.noteSet(url);
}

/** What this process knows of a service. */
export interface Service {
	/** Its webhooks are changed one at a time: several keys can belong to one account. */
	readonly inSeries: SerialQueue;
	/** What requests at startup that had no response in time still do; undefined when all have ended. */
	late?: Promise<unknown>;
	/** What the end of a trigger waits for: that they have ended, or have had time enough. */
	lateOver?: Promise<unknown>;
}

/** By base URL, because each trigger that n8n activates must see the changes of those before it. */
const services = new Map<string, Service>();

/**
 * A service.
 *
 * @param baseUrl normalized
 */
export function serviceAt(baseUrl: string): Service {
	const service = services.get(baseUrl) ?? { inSeries: createSerialQueue() };
	services.set(baseUrl, service);
	return service;
}

/** What became of a delivery: `verified`, the reason why it was rejected, and `notTaken` if n8n did not take its event. */
export type DeliveryEnd = string;

/** How many deliveries there were in the last hour, by what became of them. All times are those of `clock.elapsed`. */
interface Deliveries {
	note(end: DeliveryEnd, now: number): void;
	inLastHour(now: number): Record<DeliveryEnd, number>;
	/** How long ago the last one of each was, in milliseconds. */
	lastMsAgo(now: number): Record<DeliveryEnd, number>;
}

const MINUTE_MS = 60_000;

/** Creates the count of an account that nothing was delivered for. */
function createDeliveries(): Deliveries {
	/** By minute and end, the oldest first. */
	const counts = new Map<string, { minute: number; end: DeliveryEnd; count: number; lastAt: number }>();
	const minuteOf = (now: number) => Math.floor(now / MINUTE_MS);
	const recent = (now: number) => {
		for (const [key, { minute }] of counts) if (minute <= minuteOf(now) - 60) counts.delete(key);
		return [...counts.values()];
	};
	return {
		note(end, now) {
			recent(now);
			const minute = minuteOf(now);
			const key = `${minute} ${end}`;
			counts.set(key, { minute, end, count: (counts.get(key)?.count ?? 0) + 1, lastAt: now });
		},
		inLastHour(now) {
			const sums: Record<DeliveryEnd, number> = {};
			for (const { end, count } of recent(now)) sums[end] = (sums[end] ?? 0) + count;
			return sums;
		},
		lastMsAgo: (now) => Object.fromEntries(recent(now).map(({ end, lastAt }) => [end, now - lastAt])),
	};
}

/** The service is asked whose the API key is at most once in this time. */
const ASK_INTERVAL_MS = 60_000;

/** Which account the API key belongs to. A service can change the ID of an account, so it is asked again. */
interface Owner {
	/** The ID that the service named last. */
	readonly id: string | undefined;
	/**
	 * Asks the service, unless that was done in the last minute. Who asks meanwhile waits for the same answer.
	 *
	 * @param now that of `clock.elapsed`
	 * @returns the ID and whether it was asked for now; without an ID if the service names none
	 * @throws what `ask` throws; the next call asks again
	 */
	current(
		ask: () => Promise<string | undefined>,
		now: number,
	): Promise<{ id: string | undefined; isNew: boolean }>;
}

/** Creates the record of a key that is not known. */
export function createOwner(): Owner {
	let id: string | undefined;
	let askedAt = -Infinity;
	let asking: Promise<string | undefined> | undefined;
	return {
		get id() {
			return id;
		},
		async current(ask, now) {
			const isNew = now - askedAt >= ASK_INTERVAL_MS;
			if (isNew) {
				asking ??= ask().finally(() => (asking = undefined));
				id = await asking;
				askedAt = now;
			}
			return { id, isNew };
		},
	};
}
