import type { ICredentialDataDecryptedObject, INode } from 'n8n-workflow';

import { accountDigestIn } from '../../api/authentication';
import { CREDENTIAL } from '../../n8n/connect';

/**
 * How long a secret is cached. n8n takes 65 to 70 ms of CPU to read a credential, because it starts an expression
 * sandbox: more than for the rest of a delivery.
 */
const CACHE_TTL_MS = 60_000;

/** The minimum time between two refreshes, so that a flood of forged deliveries does not load n8n. */
const MIN_REFRESH_INTERVAL_MS = 1_000;

/** What a delivery needs of a credential. */
export interface Access {
	/** The signing secret; empty if there is none. */
	secret: string;
	/** The digest of the account. */
	account: string;
}

interface CachedAccess {
	access: Access;
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

/** What a delivery needs of this credential. */
export function accessIn(credential: ICredentialDataDecryptedObject): Access {
	return { secret: signingSecretIn(credential), account: accountDigestIn(credential) };
}

/** The key of a node's credential in the cache. */
export function credentialIdOf({ id: nodeId, credentials }: INode): string {
	return credentials?.[CREDENTIAL]?.id ?? nodeId;
}

/** The signing secrets of the credentials in use. All times are those of `clock.elapsed`. */
export interface SecretCache {
	/** The secret of a credential, from the cache if it is fresh. */
	get(credentialId: string, fetchAccess: () => Promise<Access>, now: number): Promise<Access>;
	/**
	 * The secret after a signature did not match: fetched again, unless it was refreshed less than a second ago.
	 *
	 * @returns undefined if that refresh found a new secret: somebody is changing it, so it may have changed again
	 */
	refresh(credentialId: string, fetchAccess: () => Promise<Access>, now: number): Promise<Access | undefined>;
	/** The secret as it is now, fetched in any case. */
	fetch(credentialId: string, fetchAccess: () => Promise<Access>, now: number): Promise<Access>;
}

/** Creates an empty cache. */
export function createSecretCache(): SecretCache {
	const cache = new Map<string, CachedAccess>();
	const pendingFetches = new Map<string, Promise<Access>>();

	const fetch: SecretCache['fetch'] = async (id, fetchAccess, now) => {
		const access = await fetchAccess();
		const { refreshedAt = -Infinity, hasChanged = false } = cache.get(id) ?? {};
		cache.set(id, { access, fetchedAt: now, refreshedAt, hasChanged });
		return access;
	};
	const fetchShared: SecretCache['fetch'] = async (id, ...request) => {
		const pending = pendingFetches.get(id);
		if (pending) return await pending;
		const fetching = fetch(id, ...request).finally(() => pendingFetches.delete(id));
		pendingFetches.set(id, fetching);
		return await fetching;
	};

	return {
		get: async (id, fetchAccess, now) => {
			const cached = cache.get(id);
			return cached && now - cached.fetchedAt < CACHE_TTL_MS
				? cached.access
				: await fetchShared(id, fetchAccess, now);
		},
		refresh: async (id, fetchAccess, now) => {
			const before = cache.get(id);
			if (before && now - before.refreshedAt < MIN_REFRESH_INTERVAL_MS)
				return before.hasChanged ? undefined : before.access;
			const access = await fetchShared(id, fetchAccess, now);
			const hasChanged = access.secret !== before?.access.secret;
			cache.set(id, { access, fetchedAt: now, refreshedAt: now, hasChanged });
			return access;
		},
		fetch,
	};
}
