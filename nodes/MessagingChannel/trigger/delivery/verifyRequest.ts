import { accountAt, type Account } from '../account/account';
import { clock } from '../account/clock';
import { requestKind, REQUEST_HEADER, type InternalRequestKind } from '../sharing/internalRequest';
import type { Door } from './door';
import { accessIn, type Access } from './secretCache';
import { secretCache } from './state';
import { verify, type Verification } from './verify';

/** What a request has turned out to be. */
export type VerifiedRequest =
	/** Another trigger asks something. */
	| {
			kind: Exclude<InternalRequestKind, 'event'>;
			rawBody: Buffer;
			secret: string;
			account: Account;
	  }
	/** A delivery of the service, which another trigger may have forwarded. */
	| {
			kind: 'delivery';
			verification: Verification;
			isForwarded: boolean;
			/** The secret that it was verified with. */
			secret: string;
			/** The account of the credential with this secret. */
			account: Account;
	  };

/**
 * Verifies a request, whoever sends it.
 *
 * @throws SecretJustChanged, or an error of n8n if it cannot read the credential
 */
export async function verifyRequest(door: Door): Promise<VerifiedRequest> {
	const { delivery } = door;
	const { rawBody } = delivery;
	const header = delivery.headers[REQUEST_HEADER];
	let isForwarded = false;
	if (header !== undefined && rawBody) {
		const { result: kind, access } = await withSecret(
			door,
			({ secret }) => requestKind(header, rawBody, secret, Date.now()),
			(result) => result === undefined,
		);
		if (kind !== undefined && kind !== 'event')
			return { kind, rawBody, secret: access.secret, account: accountAt(access.account) };
		isForwarded = kind === 'event';
	}
	const { result: verification, access } = await withSecret(
		door,
		({ secret }) => verify(delivery, secret, Date.now()),
		(result) => !result.verified && result.maybeOtherSecret === true,
	);
	const { secret } = access;
	const account = accountAt(access.account);
	// Only the ID in the body counts, because headers are not signed.
	if (verification.verified) account.noteProof(verification.event.body.account_id, secret, clock.elapsed());
	return { kind: 'delivery', verification, isForwarded, secret, account };
}

/** The delivery may be signed with the secret before or after the change, so the service must deliver it again. */
export class SecretJustChanged extends Error {}

/** Uses the cached secret, and then the one in the credential if another secret may fit. */
async function withSecret<T>(
	{ credentialId, credential }: Door,
	attempt: (access: Access) => T,
	mayFitOther: (result: T) => boolean,
): Promise<{ result: T; access: Access }> {
	const fetch = async () => accessIn(await credential());
	const access = await secretCache.get(credentialId, fetch, clock.elapsed());
	const result = attempt(access);
	if (!mayFitOther(result)) return { result, access };
	const refreshed = await secretCache.refresh(credentialId, fetch, clock.elapsed());
	if (refreshed === undefined) throw new SecretJustChanged();
	// With an unchanged secret, a second HMAC would only cost CPU time, for example in a flood of forged deliveries.
	return refreshed.secret === access.secret
		? { result, access }
		: { result: attempt(refreshed), access: refreshed };
}
