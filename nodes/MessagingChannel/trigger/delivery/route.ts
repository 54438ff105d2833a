import { jsonParse } from 'n8n-workflow';

import { nonEmptyText, recordOrEmpty } from '../../api/values';
import { secretDigestOf } from '../../webhook/sharingKey';
import { accountAt, type Account } from '../account/account';
import { clock } from '../account/clock';
import { sendInternal } from '../sharing/forward';
import { askerTagOf, instanceTagOf } from '../sharing/instanceTag';
import { REQUEST_HEADER, requestKind, type InternalRequestKind } from '../sharing/internalRequest';
import type { Answer, Door } from './door';
import type { VerifiedDelivery } from './forwardToOthers';
import { reportIn, unverifiedReport, type FailureReason, type Report } from './reports';
import { accessIn, credentialIdOf, type Access } from './secrets';
import { secretCache, secretChecks } from './state';
import { createStatus } from './status';
import { hasServiceHeaders, verify, type Verification } from './verify';

/** How long the hub waits for a trigger that is to join. */
const PING_TIMEOUT_MS = 5_000;

export const OK: Answer = { status: 200 };

/** The service redelivers the event after a 5xx (API spec, "Delivery rules" 5). */
export const NOT_ACCEPTED: Answer = { status: 503, error: 'not_accepted' };

/** It may be a real event instead of the sample. */
const IN_CHECK: Answer = { status: 503, error: 'not_active_yet' };

/** Verifies a request, and answers what is no event for this trigger: a check, another trigger, a forgery, a sample. */
export async function route(door: Door): Promise<Answer | VerifiedDelivery> {
	const { delivery, saved, state, receivedAt } = door;
	const check = secretChecks.open(door.query.check, Date.now());
	if (check) {
		if (check.secret !== undefined) check.report(verify(delivery, check.secret, Date.now()));
		return IN_CHECK;
	}
	const verified = await verifyRequest(door).catch(() => undefined);
	if (!verified) {
		state.log('A delivery could not be verified because the credential could not be read');
		return { ...NOT_ACCEPTED, report: verificationFailure(door, 'credential') };
	}
	const { kind, verification, access } = verified;
	state.unreadableCredential.inARow = 0;
	if (verification?.verified) state.signatureFailures.inARow = 0;
	const { secret } = access;
	const account = accountAt(access.account);
	if (!verification) return { status: 200, ...(await answerInternal(door, kind, secret, account)) };
	// What another trigger sends was delivered to that one.
	if (delivery.headers[REQUEST_HEADER] === undefined)
		account.deliveries.note(verification.verified ? 'verified' : verification.reason, receivedAt);
	if (!verification.verified) {
		const { status, error, reason } = verification;
		state.log(`A delivery was rejected: ${reason}`);
		const isForged = error === 'invalid_signature';
		return { status, error, report: isForged ? verificationFailure(door, 'signature', account) : undefined };
	}
	const { event, deliveredAt, rawBody } = verification;
	// Only the ID in the body counts, because headers are not signed.
	account.noteProof(event.body.account_id, secret, receivedAt);
	// The sample from a secret check is not a real event.
	if (secretChecks.isSample(event.id) || saved.sampleId === event.id) return OK;
	const { headers } = delivery;
	return { event, deliveredAt, rawBody, headers, account, secret, isShared: kind === 'event' };
}

/** What a request has turned out to be. */
interface VerifiedRequest {
	/** What another trigger asks; undefined for a delivery of the service itself. */
	kind?: InternalRequestKind;
	/** Undefined if another trigger asks something and forwards no event. */
	verification?: Verification;
	/** What it was verified with. */
	access: Access;
}

/**
 * Verifies a request, whoever sends it, with the cached secret, and then with the one in the credential if another may fit.
 *
 * @throws an error of n8n if it cannot read the credential
 */
async function verifyRequest(door: Door): Promise<VerifiedRequest> {
	const { delivery, node, credential, receivedAt } = door;
	const { headers, rawBody } = delivery;
	const header = headers[REQUEST_HEADER];
	const mayBeInternal = header !== undefined && rawBody !== undefined;
	const verifyWith = (access: Access): VerifiedRequest => {
		const now = Date.now();
		const kind = mayBeInternal ? requestKind(header, rawBody, access.secret, now) : undefined;
		const isQuestion = kind !== undefined && kind !== 'event';
		return { kind, access, verification: isQuestion ? undefined : verify(delivery, access.secret, now) };
	};
	const fetch = async () => accessIn(await credential());
	const credentialId = credentialIdOf(node);
	const access = await secretCache.get(credentialId, fetch, receivedAt);
	const result = verifyWith(access);
	const { kind, verification } = result;
	const mayFitOther =
		(mayBeInternal && kind === undefined) ||
		(verification?.verified === false && verification.maybeOtherSecret);
	if (!mayFitOther) return result;
	const refreshed = await secretCache.refresh(credentialId, fetch, clock.elapsed());
	// With an unchanged secret, a second HMAC would only cost CPU time, for example in a flood of forged deliveries.
	if (refreshed.secret === access.secret) return result;
	const again = verifyWith(refreshed);
	// The hub may have forwarded it with the secret before.
	return { ...again, kind: again.kind ?? kind };
}

/** Answers a verified request of another trigger. */
async function answerInternal(
	door: Door,
	kind: InternalRequestKind | undefined,
	secret: string,
	account: Account,
): Promise<Omit<Answer, 'status'>> {
	const { delivery, request, saved, instanceId, ownUrl } = door;
	const body = recordOrEmpty(jsonParse<unknown>(String(delivery.rawBody)));
	// Whether the service has shown that the secret is right: somebody may have just mistyped it in the credential.
	const isProven = () =>
		saved.secretDigest === secretDigestOf(secret) ||
		account.isProven(saved.accountId, secret, clock.elapsed());
	const url = nonEmptyText(body.url);
	if (kind === 'probe' && url !== undefined) {
		const options = { request, secret, timeoutMs: PING_TIMEOUT_MS, now: Date.now() };
		const response = await sendInternal('reach', url, {}, options);
		const reached = response?.statusCode === 200 && response.isFromTrigger;
		return { body: { reached, isProven: isProven() } };
	}
	const nonce = nonEmptyText(body.nonce);
	if (kind === 'instance' && nonce !== undefined)
		return { body: { instance: instanceTagOf(instanceId(), nonce, secret) } };
	if (kind === 'status' && nonce !== undefined) {
		const isSameN8n = body.asker === askerTagOf(instanceId(), nonce, secret, ownUrl);
		return { body: { ...createStatus(door, account, isSameN8n), isProven: isProven() } };
	}
	return { body: {}, report: kind === 'report' ? reportIn(body) : undefined };
}

/** The report of such failures, if one is due. A test run needs none: its user sees the missing event. */
function verificationFailure(
	{ delivery, isTest, saved, state }: Door,
	reason: FailureReason,
	account?: Account,
): Report | undefined {
	const count = reason === 'credential' ? state.unreadableCredential : state.signatureFailures;
	const accountId = account?.owner.id ?? saved.accountId;
	const isFailure = !isTest && hasServiceHeaders(delivery.headers, accountId, Date.now());
	const since = isFailure ? count.add() : undefined;
	return since === undefined ? undefined : unverifiedReport(since, reason);
}
