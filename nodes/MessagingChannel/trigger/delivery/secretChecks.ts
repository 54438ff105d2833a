import type { ServiceEvent } from './event';
import type { Verification } from './verify';

/** The result of a secret check; `unknown` if no delivery to its URL reached this process. */
export type SecretCheckResult = 'right' | 'wrong' | 'stale' | 'unknown';

/** How long to wait for the sample event after the service has confirmed it. */
export const SAMPLE_TIMEOUT_MS = 3_000;

/** A verified delivery within this time proves the secret right. If there was none, a check delays no events either. */
const VERIFIED_TTL_MS = 300_000;

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
	readonly isOpen: boolean;
	readonly result: SecretCheckResult;
	/** Resolves as soon as the result is known. */
	readonly reported: Promise<void>;
	/** Ends the check. Its URL then works like the normal URL of the trigger. */
	end(): void;
}

/** The recent checks of this process, by the token in their URL. */
const ownChecks = new Map<string, OwnSecretCheck>();

/** The event IDs of the samples that repairs asked for. A repair cannot save them. */
const sampleIds = new Set<string>();

/** The secret of the latest verified delivery, by account ID. */
const verifiedSecrets = new Map<string, { secret: string; at: number }>();

/**
 * Starts a check. Deliveries to the URL with its token report to the check until it ends.
 *
 * @param token `<Unix time in milliseconds>-<UUID>`; other processes read the time
 * @param secret the signing secret to check; the cached one may be another
 */
export function startSecretCheck(token: string, secret: string): OwnSecretCheck {
	let result: SecretCheckResult = 'unknown';
	let isOpen = true;
	let resolve = () => {};
	const reported = new Promise<void>((resolved) => (resolve = resolved));
	const check: OwnSecretCheck = {
		secret,
		get isOpen() {
			return isOpen;
		},
		get result() {
			return result;
		},
		reported,
		report(verification) {
			const newResult = resultOf(verification);
			if (newResult === 'unknown' || result === 'right') return;
			result = newResult;
			resolve();
		},
		end() {
			isOpen = false;
		},
	};
	for (const [otherToken, other] of ownChecks) if (!other.isOpen) ownChecks.delete(otherToken);
	ownChecks.set(token, check);
	return check;
}

function resultOf(verification: Verification): SecretCheckResult {
	if (verification.verified) return 'right';
	if (verification.error === 'invalid_signature') return 'wrong';
	return verification.error === 'stale_timestamp' ? 'stale' : 'unknown';
}

/**
 * The open check that a delivery belongs to. In queue mode another process may have started the check; then the time in
 * the token shows whether it is still open.
 *
 * @param token the query parameter `check` of the delivery's URL
 * @param now Unix time in milliseconds
 */
export function openSecretCheck(token: unknown, now: number): SecretCheck | undefined {
	if (typeof token !== 'string') return undefined;
	const own = ownChecks.get(token);
	if (own) return own.isOpen ? own : undefined;
	const startedAt = Number(/^(\d{13})-[\da-f-]{36}$/.exec(token)?.[1] ?? NaN);
	if (!(now <= startedAt + SAMPLE_TIMEOUT_MS)) return undefined;
	return { report: () => {} };
}

/**
 * Records that a secret verified an event. Only the account ID in the body counts, because headers are not signed.
 *
 * @param now Unix time in milliseconds
 */
export function noteVerified({ body }: Pick<ServiceEvent, 'body'>, secret: string, now: number): void {
	if (typeof body.account_id === 'string') verifiedSecrets.set(body.account_id, { secret, at: now });
}

/**
 * Whether a secret verified a delivery of an account within the last five minutes.
 *
 * @param now Unix time in milliseconds
 */
export function wasVerified(accountId: unknown, secret: unknown, now: number): boolean {
	const last = verifiedSecrets.get(String(accountId));
	return last !== undefined && last.secret === secret && now - last.at <= VERIFIED_TTL_MS;
}

/** Records the sample of a check in a repair. */
export function noteSample(eventId: string): void {
	sampleIds.add(eventId);
}

/** Whether an event is such a sample. */
export function isKnownSample(eventId: string): boolean {
	return sampleIds.has(eventId);
}
