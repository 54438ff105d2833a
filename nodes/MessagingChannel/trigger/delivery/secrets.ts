import type { ICredentialDataDecryptedObject, INode } from 'n8n-workflow';

import { accountDigestIn } from '../../api/authentication';
import { TOLERANCE_MS } from '../../api/timestampTolerance';
import { INVISIBLE } from '../../api/values';
import { CREDENTIAL } from '../../n8n/connect';
import { startOfCheck } from '../../webhook/checkUrl';
import { SHARED_RETENTION_MS } from '../deduplication/inFlightEvents';
import type { ServiceEvent } from './event';
import type { Verification } from './verify';

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
	/** When it was last fetched because a signature did not match, and was the same as before. */
	refreshedAt: number;
}

/** The signing secret in a credential, without spaces and invisible characters from pasting; empty if there is none. */
export function signingSecretIn({ signingSecret }: ICredentialDataDecryptedObject): string {
	return String(signingSecret ?? '')
		.replace(INVISIBLE, '')
		.trim();
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
	/** The secret after a signature did not match: fetched again, unless that has found the same less than a second ago. */
	refresh(credentialId: string, fetchAccess: () => Promise<Access>, now: number): Promise<Access>;
	/** The secret as it is now, fetched in any case. */
	fetch(credentialId: string, fetchAccess: () => Promise<Access>, now: number): Promise<Access>;
}

/** Creates an empty cache. */
export function createSecretCache(): SecretCache {
	const cache = new Map<string, CachedAccess>();
	const pendingFetches = new Map<string, Promise<Access>>();

	const fetch: SecretCache['fetch'] = async (id, fetchAccess, now) => {
		const access = await fetchAccess();
		cache.set(id, { access, fetchedAt: now, refreshedAt: cache.get(id)?.refreshedAt ?? -Infinity });
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
			if (before && now - before.refreshedAt < MIN_REFRESH_INTERVAL_MS) return before.access;
			const access = await fetchShared(id, fetchAccess, now);
			// A secret that somebody is changing may change again.
			const refreshedAt = access.secret === before?.access.secret ? now : -Infinity;
			cache.set(id, { access, fetchedAt: now, refreshedAt });
			return access;
		},
		fetch,
	};
}

/**
 * The result of a secret check; `unsigned` if no secret could have verified the delivery, and `unknown` if none to its URL reached this
 * process.
 */
export type SecretCheckResult = 'right' | 'wrong' | 'unsigned' | 'stale' | 'unknown';

/** How long to wait for the sample event after the service has confirmed it. */
export const SAMPLE_TIMEOUT_MS = 3_000;

/** A check of the signing secret, as seen by the process that receives the delivery. */
export interface SecretCheck {
	/** The secret to check; undefined if another process started the check. */
	readonly secret?: string;
	/** Reports the verification of a delivery to the URL of the check, with its secret. */
	report(verification: Verification): void;
}

/** A check that this process started. */
export interface OwnSecretCheck extends SecretCheck {
	/** Whether deliveries to its URL are still refused. */
	isOpen: boolean;
	/** What the deliveries have shown until now. A later one can overrule it. */
	result: SecretCheckResult;
	/** Why the last delivery was rejected, if one was. */
	rejection: string | undefined;
	/** Resolves with the first delivery that shows something. */
	readonly reported: Promise<void>;
	/** Ends the check. Its URL then works like the normal URL of the trigger. Returns the final result. */
	end(): SecretCheckResult;
}

/** The checks of signing secrets in this process, and the samples that they asked for. */
export interface SecretChecks {
	/**
	 * Starts a check. Deliveries to the URL with its token report to the check until it ends.
	 *
	 * @param secret the signing secret to check; the cached one may be another
	 * @param onProof called with each event that it verifies
	 */
	start(token: string, secret: string, onProof: (event: ServiceEvent) => void): OwnSecretCheck;
	/**
	 * The open check that a delivery belongs to. In queue mode another process may have started the check; then the time in
	 * the token shows whether it is still open.
	 *
	 * @param token the query parameter of the delivery's URL
	 * @param now Unix time in milliseconds
	 */
	open(token: unknown, now: number): SecretCheck | undefined;
	/**
	 * Records a sample that the service names only when the check has ended.
	 *
	 * @param now that of `clock.elapsed`
	 */
	noteSample(eventId: string, now: number): void;
	/** Whether an event is such a sample. */
	isSample(eventId: string): boolean;
}

/** Creates a record without checks. */
export function createSecretChecks(): SecretChecks {
	/** The recent checks of this process, by the token in their URL. */
	const ownChecks = new Map<string, OwnSecretCheck>();
	/** When the samples were asked for, by their event IDs. */
	const samples = new Map<string, number>();

	return {
		start(token, secret, onProof) {
			for (const [otherToken, other] of ownChecks) if (!other.isOpen) ownChecks.delete(otherToken);
			const check = createCheck(secret, onProof);
			ownChecks.set(token, check);
			return check;
		},
		open(token, now) {
			if (typeof token !== 'string') return undefined;
			const own = ownChecks.get(token);
			if (own) return own.isOpen ? own : undefined;
			const ageMs = now - startOfCheck(token);
			// n8n may have been killed in the check while its clock was ahead.
			return ageMs <= SAMPLE_TIMEOUT_MS && ageMs >= -TOLERANCE_MS ? { report: () => {} } : undefined;
		},
		noteSample(eventId, now) {
			for (const [id, at] of samples) if (now - at > SHARED_RETENTION_MS) samples.delete(id);
			samples.set(eventId, now);
		},
		isSample: (eventId) => samples.has(eventId),
	};
}

function createCheck(secret: string, onProof: (event: ServiceEvent) => void): OwnSecretCheck {
	let resolve = () => {};
	const check: OwnSecretCheck = {
		secret,
		isOpen: true,
		result: 'unknown',
		rejection: undefined,
		reported: new Promise<void>((resolved) => (resolve = resolved)),
		report(verification) {
			if (verification.verified) onProof(verification.event);
			else check.rejection = verification.reason;
			const result = resultOf(verification);
			if (result === 'unknown' || check.result === 'right') return;
			check.result = result;
			resolve();
		},
		end() {
			check.isOpen = false;
			return check.result;
		},
	};
	return check;
}

function resultOf(verification: Verification): SecretCheckResult {
	if (verification.verified) return 'right';
	if (verification.error === 'invalid_signature')
		return verification.maybeOtherSecret === true ? 'wrong' : 'unsigned';
	return verification.error === 'stale_timestamp' ? 'stale' : 'unknown';
}
