import type { ServiceEvent } from './event';
import type { Verification } from './verify';

/** What a delivery to a check's address showed of the secret; `unknown` when none came to this process. */
export type SecretCheckResult = 'right' | 'wrong' | 'stale' | 'unknown';

/** How long the sample may take after the service said that it sent it. */
export const SAMPLE_TIMEOUT_MS = 3_000;

/** A delivery verified so lately shows that the secret is right. Where none came, a check delays none either. */
const VERIFIED_MS = 300_000;

/** A check of the secret, as the process sees it to which its address leads. */
export interface SecretCheck {
	/** Whether this process began it; then a delivery to its address comes from the service for certain. */
	readonly isOwn: boolean;
	readonly result: SecretCheckResult;
	/** Tells it what was found in a delivery to its address. */
	report(verification: Verification): void;
}

/** A check that this process began. */
export interface OwnSecretCheck extends SecretCheck {
	/** Whether deliveries to its address are still refused. */
	readonly isOpen: boolean;
	/** Resolves as soon as a delivery has shown something. */
	readonly reported: Promise<void>;
	/** From now on its address is an address like any other. */
	end(): void;
}

/** The checks that this process began lately, by the token in their addresses. */
const ownChecks = new Map<string, OwnSecretCheck>();

/** The secret of the latest verified delivery of each account. */
const verified = new Map<string, { secret: string; at: number }>();

/**
 * Begins a check: deliveries to the address with its token report to it until it ends.
 *
 * @param token `<Unix time in milliseconds>-<UUID>`; other processes read the time in it
 */
export function beginSecretCheck(token: string): OwnSecretCheck {
	let result: SecretCheckResult = 'unknown';
	let isOpen = true;
	let resolve = () => {};
	const reported = new Promise<void>((resolved) => (resolve = resolved));
	const check: OwnSecretCheck = {
		isOwn: true,
		get isOpen() {
			return isOpen;
		},
		get result() {
			return result;
		},
		reported,
		report(verification) {
			const shown = resultOf(verification);
			if (shown === 'unknown' || result === 'right') return;
			result = shown;
			resolve();
		},
		end() {
			isOpen = false;
		},
	};
	for (const [ended, other] of ownChecks) if (!other.isOpen) ownChecks.delete(ended);
	ownChecks.set(token, check);
	return check;
}

function resultOf(verification: Verification): SecretCheckResult {
	if (verification.verified) return 'right';
	if (verification.error === 'invalid_signature') return 'wrong';
	return verification.error === 'stale_timestamp' ? 'stale' : 'unknown';
}

/**
 * The check to whose address a delivery came, while it is open. In queue mode another process may have begun it; then
 * the time in its token tells whether it is.
 *
 * @param token what the delivery's address carries
 * @param now Unix time in milliseconds
 */
export function openSecretCheck(token: unknown, now: number): SecretCheck | undefined {
	if (typeof token !== 'string') return undefined;
	const own = ownChecks.get(token);
	if (own) return own.isOpen ? own : undefined;
	const begunAt = Number(/^(\d{13})-[\da-f-]{36}$/.exec(token)?.[1] ?? NaN);
	if (!(now <= begunAt + SAMPLE_TIMEOUT_MS)) return undefined;
	return { isOwn: false, result: 'unknown', report: () => {} };
}

/**
 * Notes that a secret verified an event of an account. Only the account in the body counts: headers are not signed, and
 * could name any number of accounts.
 *
 * @param now Unix time in milliseconds
 */
export function noteVerified({ body }: ServiceEvent, secret: string, now: number): void {
	if (typeof body.account_id === 'string') verified.set(body.account_id, { secret, at: now });
}

/** Whether a secret verified a delivery of an account within the last five minutes. */
export function wasVerified(accountId: unknown, secret: unknown, now: number): boolean {
	const last = verified.get(String(accountId));
	return last !== undefined && last.secret === secret && now - last.at <= VERIFIED_MS;
}
