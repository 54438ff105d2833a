import type { Account, DeliveryEnd, Fetch } from '../account/account';
import { clock } from '../account/clock';
import type { Door } from './door';

/** What a process knows of its triggers that fetch messages, for another process: without times of its own clock. */
export type ToldFetch = Omit<Fetch, 'at'> & { secondsAgo: number };

/** What a trigger tells of itself and its process. */
export interface TriggerStatus {
	/** Whether the service has shown that the secret is right. */
	isProven: boolean;
	/** Whether the request came through a proxy, as its headers say. */
	isProxied: boolean;
	deliveries: Record<DeliveryEnd, number>;
	/** How long ago its process got the last delivery of each end, in milliseconds. */
	lastMsAgo: Record<DeliveryEnd, number>;
	/** The name of its workflow. Set only for somebody who runs in the same n8n, as is `fetches`. */
	workflow?: string;
	fetches?: ToldFetch[];
}

/** The headers with which proxies say that they pass a request on. */
const PROXY_HEADERS = ['via', 'forwarded', 'x-forwarded-for', 'x-forwarded-proto', 'x-real-ip', 'cf-ray'];

/**
 * What a trigger tells.
 *
 * @param isSameN8n whether the one who asks runs in the same n8n. Any other only shares the webhook
 */
export function createStatus(
	{ delivery, workflow }: Door,
	account: Account,
	isSameN8n: boolean,
): Omit<TriggerStatus, 'isProven'> {
	const now = clock.elapsed();
	return {
		isProxied: PROXY_HEADERS.some((name) => delivery.headers[name] !== undefined),
		deliveries: account.deliveries.inLastHour(now),
		lastMsAgo: account.deliveries.lastMsAgo(now),
		...(isSameN8n && { workflow: workflow.name, fetches: fetchesOf(account) }),
	};
}

/** What the triggers of this process that fetch messages did last. */
export function fetchesOf({ fetches }: Account): ToldFetch[] {
	const now = clock.elapsed();
	return [...fetches.values()].map(({ at, ...fetch }) => ({
		...fetch,
		secondsAgo: Math.round((now - at) / 1000),
	}));
}
