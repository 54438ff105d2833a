import type { RegisteredWebhook } from '../../webhook/registeredWebhook';
import { listIn, shownUrl, withoutQuery } from '../../webhook/sharedUrl';
import { areSameUrl } from '../../webhook/url';

/** How long what was read is used, and how seldom it is read: all triggers of the account together need it. */
export const WEBHOOK_TTL_MS = 60_000;

type Read = () => Promise<RegisteredWebhook | undefined>;

/**
 * The account's webhook as the service has it, as far as this process knows: the only place that keeps it. All times are those of
 * `clock.elapsed`.
 */
export interface KnownWebhook {
	/** The webhook as it was within the last minute. That it could not be read is kept as long. */
	recent(read: Read, now: number): Promise<RegisteredWebhook | undefined>;
	/**
	 * The webhook that a delivery with this list needs: a recent one with the list, or read now.
	 *
	 * @param list undefined if the delivery has none
	 * @returns undefined if another list was read within the last minute: the one of the delivery is forged, or newer
	 */
	forList(
		list: unknown,
		read: Read,
		now: number,
	): Promise<{ webhook: RegisteredWebhook | undefined } | undefined>;
	/** What was read last, if nothing was changed since; undefined if that is not known. */
	latest(): Promise<RegisteredWebhook | undefined> | undefined;
	/** Has all triggers leave the service alone for a while after a change that failed. */
	keepFailure(error: Error, ttlMs: number, now: number): void;
	/** Forgets what was read, because it may have changed since. */
	forget(): void;
	/** Notes that this process sets the webhook: what was read before counts no more. */
	noteSet(url: string | undefined): void;
	/** Whether the hub is the one in this URL, as far as is known. */
	hasHub(url: string): boolean;
	/** Whether a delivery to this URL must have a list. */
	isSharedAt(url: string): boolean;
	/** What is known, in a few words. */
	describe(now: number): string;
}

/** Creates the record of a webhook of which nothing is known. */
export function createKnownWebhook(): KnownWebhook {
	let known: { at: number; ttlMs: number; webhook: Promise<RegisteredWebhook | undefined> } | undefined;
	let url: string | undefined;
	/** When a delivery last had the webhook read because of its list. */
	let readForListAt = -Infinity;

	const keep = (webhook: Promise<RegisteredWebhook | undefined>, now: number, ttlMs: number) => {
		const entry = { at: now, ttlMs, webhook };
		known = entry;
		webhook.then(
			(registered) => {
				if (known === entry) url = registered?.url;
			},
			() => undefined,
		);
		return webhook;
	};
	const hasHub = (other: string) => url !== undefined && areSameUrl(withoutQuery(url), withoutQuery(other));

	return {
		recent: async (read, now) =>
			await (known && now - known.at < known.ttlMs ? known.webhook : keep(read(), now, WEBHOOK_TTL_MS)),
		async forList(list, read, now) {
			const entry = known && now - known.at < WEBHOOK_TTL_MS ? known : undefined;
			const webhook = await entry?.webhook.catch(() => undefined);
			if (webhook && (list === undefined || list === listIn(webhook.url))) return { webhook };
			if (now - readForListAt < WEBHOOK_TTL_MS) return undefined;
			readForListAt = now;
			const reading = keep(read(), now, WEBHOOK_TTL_MS);
			reading.catch(() => void (readForListAt = -Infinity));
			return { webhook: await reading };
		},
		latest: () => known?.webhook,
		keepFailure(error, ttlMs, now) {
			const failed = Promise.reject<undefined>(error);
			failed.catch(() => undefined);
			keep(failed, now, ttlMs);
		},
		forget: () => void (known = undefined),
		noteSet(setUrl) {
			known = undefined;
			readForListAt = -Infinity;
			url = setUrl;
		},
		hasHub,
		isSharedAt: (hubUrl) => url !== undefined && listIn(url) !== undefined && hasHub(hubUrl),
		describe(now) {
			const read = known ? `, read ${Math.round((now - known.at) / 1000)} s ago` : '';
			return `${url === undefined ? 'unknown or none' : shownUrl(url)}${read}`;
		},
	};
}
