import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

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
}

/** The signing secret in a credential, without whitespace from pasting; empty if there is none. */
export function signingSecretIn({ signingSecret }: ICredentialDataDecryptedObject): string {
	return String(signingSecret ?? '').trim();
}

/** The signing secrets of the credentials in use. All times are Unix milliseconds. */
export interface SecretCache {
	/** The secret of a credential, from the cache if it is fresh. */
	get(credentialId: string, fetchSecret: () => Promise<string>, now: number): Promise<string>;
	/** The secret after a signature did not match: fetched again, unless the last fetch is less than a second ago. */
	refresh(credentialId: string, fetchSecret: () => Promise<string>, now: number): Promise<string>;
}

/** Creates an empty cache. */
export function createSecretCache(): SecretCache {
	const cache = new Map<string, CachedSecret>();
	const pendingFetches = new Map<string, Promise<string>>();

	const fetchShared = async (id: string, fetchSecret: () => Promise<string>, now: number) => {
		const pending = pendingFetches.get(id);
		if (pending) return await pending;
		const fetching = fetchSecret()
			.then((secret) => {
				cache.set(id, { secret, fetchedAt: now });
				return secret;
			})
			.finally(() => pendingFetches.delete(id));
		pendingFetches.set(id, fetching);
		return await fetching;
	};
	const getYoungerThan = async (
		maxAgeMs: number,
		...[id, fetchSecret, now]: [string, () => Promise<string>, number]
	): Promise<string> => {
		const cached = cache.get(id);
		return cached && now - cached.fetchedAt < maxAgeMs
			? cached.secret
			: await fetchShared(id, fetchSecret, now);
	};

	return {
		get: async (...request) => await getYoungerThan(CACHE_TTL_MS, ...request),
		refresh: async (...request) => await getYoungerThan(MIN_REFRESH_INTERVAL_MS, ...request),
	};
}
