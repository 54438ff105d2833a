import type { ICredentialDataDecryptedObject, INode } from 'n8n-workflow';

import { isRecent } from '../../api/clock';
import { CREDENTIAL } from '../../n8n/connect';

/**
 * How long a secret is cached. n8n takes 65 to 70 ms of CPU to read a credential, because it starts an expression
 * sandbox: more than for the rest of a delivery.
 */
const CACHE_TTL_MS = 60_000;

/** The minimum time between two refreshes, so that a flood of forged deliveries does not load n8n. */
const MIN_REFRESH_INTERVAL_MS = 1_000;

interface CachedSecret {
	secret: string;
	fetchedAt: number;
	/** When it was last fetched because a signature did not match. */
	refreshedAt: number;
	/** Whether that fetch found another secret than before. */
	hasChanged: boolean;
}

/** The signing secret in a credential, without whitespace from pasting; empty if there is none. */
export function signingSecretIn({ signingSecret }: ICredentialDataDecryptedObject): string {
	return String(signingSecret ?? '').trim();
}

/** The key of a node's credential in the cache. */
export function credentialIdOf({ id: nodeId, credentials }: INode): string {
	return credentials?.[CREDENTIAL]?.id ?? nodeId;
}

/** The signing secrets of the credentials in use. All times are Unix milliseconds. */
export interface SecretCache {
	/** The secret of a credential, from the cache if it is fresh. */
	get(credentialId: string, fetchSecret: () => Promise<string>, now: number): Promise<string>;
	/**
	 * The secret after a signature did not match: fetched again, unless it was refreshed less than a second ago.
	 *
	 * @returns undefined if that refresh found a new secret: somebody is changing it, so it may have changed again
	 */
	refresh(credentialId: string, fetchSecret: () => Promise<string>, now: number): Promise<string | undefined>;
	/** The secret as it is now, fetched in any case. */
	fetch(credentialId: string, fetchSecret: () => Promise<string>, now: number): Promise<string>;
}

/** Creates an empty cache. */
export function createSecretCache(): SecretCache {
	const cache = new Map<string, CachedSecret>();
	const pendingFetches = new Map<string, Promise<string>>();

	const fetch: SecretCache['fetch'] = async (id, fetchSecret, now) => {
		const secret = await fetchSecret();
		const { refreshedAt = -Infinity, hasChanged = false } = cache.get(id) ?? {};
		cache.set(id, { secret, fetchedAt: now, refreshedAt, hasChanged });
		return secret;
	};
	const fetchShared: SecretCache['fetch'] = async (id, ...request) => {
		const pending = pendingFetches.get(id);
		if (pending) return await pending;
		const fetching = fetch(id, ...request).finally(() => pendingFetches.delete(id));
		pendingFetches.set(id, fetching);
		return await fetching;
	};

	return {
		get: async (id, fetchSecret, now) => {
			const cached = cache.get(id);
			return cached && isRecent(cached.fetchedAt, CACHE_TTL_MS, now)
				? cached.secret
				: await fetchShared(id, fetchSecret, now);
		},
		refresh: async (id, fetchSecret, now) => {
			const before = cache.get(id);
			if (before && isRecent(before.refreshedAt, MIN_REFRESH_INTERVAL_MS, now))
				return before.hasChanged ? undefined : before.secret;
			const secret = await fetchShared(id, fetchSecret, now);
			cache.set(id, { secret, fetchedAt: now, refreshedAt: now, hasChanged: secret !== before?.secret });
			return secret;
		},
		fetch,
	};
}
