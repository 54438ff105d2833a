import { randomUUID } from 'crypto';
import { sleep } from 'n8n-workflow';

import { sendTestEvent } from '../../actions/webhook/sendTestEvent';
import type { ResponseBody, Client } from '../../api/client';
import { ApiError } from '../../api/errors';
import { recordsOf } from '../../api/records';
import type { Verification } from '../delivery/verify';
import type { ServiceEvent } from '../delivery/event';
import { setWebhook, type DesiredWebhook } from './registration';

/** What a delivery to the check's address showed of the secret; `unknown` when none came to this process. */
export type SecretCheck = 'right' | 'wrong' | 'stale' | 'unknown';

/** How long the sample may take after the service said that it sent it. */
const PATIENCE_MS = 3_000;

const LOOK_EVERY_MS = 50;

/** A delivery verified so lately shows that the secret is right. Where none came, a check delays none either. */
const VERIFIED_MS = 300_000;

/** A check, as a process sees it to which its address leads. */
export interface Check {
	/** Whether this process began it; then a delivery to its address comes from the service for certain. */
	isOwn: boolean;
	/** Whether deliveries to its address are still refused. */
	isUnderWay: boolean;
	result: SecretCheck;
}

/** The checks that this process began lately, by the secret word in their addresses. */
const checks = new Map<string, Check>();

/** The secret of the latest verified delivery of each account. */
const verified = new Map<string, { secret: string; at: number }>();

/**
 * Has the service send its sample event to an address that only this check knows (Delivery rules 6). So a delivery
 * there comes from the service for certain: a wrong signature means a wrong secret, not a forger.
 * Leaves the webhook as wished, unless a delivery showed that no event could be verified.
 *
 * @returns what it showed, and which event the sample is, if the service's answer names it: nothing else tells it from a
 * customer's event that comes at that moment
 */
export async function checkSecret(
	client: Client,
	desired: DesiredWebhook,
): Promise<{ result: SecretCheck; sampleId?: string }> {
	const word = `${Date.now()}-${randomUUID()}`;
	const check: Check = { isOwn: true, isUnderWay: true, result: 'unknown' };
	for (const [ended, { isUnderWay }] of checks) if (!isUnderWay) checks.delete(ended);
	checks.set(word, check);
	try {
		await setWebhook(client, { ...desired, url: `${desired.url}?check=${word}` });
		// A service that cannot send samples is none the worse; then the first event shows it.
		const answer: ResponseBody | ApiError = await client
			.call({ endpoint: sendTestEvent.endpoint })
			.catch((error: unknown) => (error instanceof ApiError ? error : {}));
		const patience = isRefusal(answer) ? 0 : PATIENCE_MS;
		for (let waited = 0; check.result === 'unknown' && waited < patience; waited += LOOK_EVERY_MS) {
			await sleep(LOOK_EVERY_MS);
		}
		if (check.result === 'right' || check.result === 'unknown') await setWebhook(client, desired);
		return { result: check.result, sampleId: idIn(answer) };
	} finally {
		check.isUnderWay = false;
	}
}

/** Then no sample comes, and events are not to be refused for longer. */
function isRefusal(answer: ResponseBody | ApiError): boolean {
	return answer instanceof ApiError && answer.httpStatus !== null && answer.httpStatus >= 400;
}

function idIn(answer: ResponseBody | ApiError): string | undefined {
	const [sample] = answer instanceof ApiError ? [] : recordsOf(answer);
	return typeof sample?.event_id === 'string' ? sample.event_id : undefined;
}

/**
 * The check to whose address a delivery came, while it is under way. In queue mode another process than this one may
 * have begun it; then its word tells when.
 *
 * @param word what the delivery's address carries
 * @param now Unix time in milliseconds
 */
export function checkUnderWay(word: unknown, now: number): Check | undefined {
	if (typeof word !== 'string') return undefined;
	const own = checks.get(word);
	if (own) return own.isUnderWay ? own : undefined;
	const begunAt = Number(/^(\d{13})-[\da-f-]{36}$/.exec(word)?.[1] ?? NaN);
	const isUnderWay = now <= begunAt + PATIENCE_MS;
	return isUnderWay ? { isOwn: false, isUnderWay, result: 'unknown' } : undefined;
}

/** Tells a check what was found in a delivery to its address. */
export function reportCheck(check: Check, verification: Verification): void {
	if (verification.verified) check.result = 'right';
	else if (check.result === 'right') return;
	else if (verification.error === 'invalid_signature') check.result = 'wrong';
	else if (verification.error === 'stale_timestamp') check.result = 'stale';
}

/**
 * Notes that a secret verified an event of an account. Only the body's word on the account counts, as the headers are not
 * signed: they could name any account, and ever so many.
 */
export function noteVerified({ body }: ServiceEvent, secret: string, now: number): void {
	if (typeof body.account_id === 'string') verified.set(body.account_id, { secret, at: now });
}

/** Whether a secret verified a delivery of an account lately. */
export function wasVerified(accountId: unknown, secret: unknown, now: number): boolean {
	const last = verified.get(String(accountId));
	return last !== undefined && last.secret === secret && now - last.at <= VERIFIED_MS;
}
