import { randomUUID } from 'crypto';
import { sleep } from 'n8n-workflow';

import { sendTestEvent } from '../actions/webhook/sendTestEvent';
import type { Client } from '../api/client';
import type { Finding } from './delivery';
import { setWebhook, type Wish } from './registration';

/** What the sample event showed of the secret; `unknown` when it did not come to this process. */
export type SecretCheck = 'right' | 'wrong' | 'stale' | 'unknown';

/** How long the sample may take after the service said that it sent it. */
const PATIENCE_MS = 3_000;

const LOOK_EVERY_MS = 50;

/** Only so many checks are remembered; one is a few hundred bytes. */
const MOST_CHECKS = 100;

/** A check, as a process sees it to which its address leads. */
export interface Check {
	word: string;
	/** Whether this process began it; then a delivery to its address comes from the service for certain. */
	isOwn: boolean;
	/** Until when deliveries to its address are refused, in Unix milliseconds. */
	refusesUntil: number;
	result: SecretCheck;
	/** The ids of the genuine events that came to its address and were refused. */
	refused: Set<string>;
}

/** The latest checks, by the secret word in their addresses. */
const checks = new Map<string, Check>();

/**
 * Has the service send its sample event to an address that only this check knows (Delivery rules 6). So a delivery
 * there comes from the service for certain: a wrong signature means a wrong secret, not a forger.
 * Leaves the webhook as wished, unless the sample showed that no event could be verified.
 */
export async function checkSecret(client: Client, wish: Wish): Promise<SecretCheck> {
	const word = `${Date.now()}-${randomUUID()}`;
	const check = newCheck(word, true, Infinity);
	remember(check);
	await setWebhook(client, { ...wish, url: `${wish.url}?check=${word}` });
	// A service that cannot send samples is none the worse; then the first event shows it.
	await client.call({ call: sendTestEvent.call }).catch(() => undefined);
	for (let waited = 0; check.result === 'unknown' && waited < PATIENCE_MS; waited += LOOK_EVERY_MS) {
		await sleep(LOOK_EVERY_MS);
	}
	check.refusesUntil = 0;
	if (check.result === 'right' || check.result === 'unknown') await setWebhook(client, wish);
	return check.result;
}

function newCheck(word: string, isOwn: boolean, refusesUntil: number): Check {
	return { word, isOwn, refusesUntil, result: 'unknown', refused: new Set() };
}

function remember(check: Check): void {
	const [oldest] = checks.keys();
	if (oldest !== undefined && checks.size >= MOST_CHECKS) checks.delete(oldest);
	checks.set(check.word, check);
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
	const begunAt = Number(/^(\d{13})-[\da-f-]{36}$/.exec(word)?.[1] ?? NaN);
	const check = checks.get(word) ?? newCheck(word, false, begunAt + PATIENCE_MS);
	return now <= check.refusesUntil ? check : undefined;
}

/** Tells a check what was found in a delivery to its address. Only a genuine one is worth remembering. */
export function reportCheck(check: Check, finding: Finding): void {
	if (finding.outcome === 'genuine') {
		check.refused.add(finding.event.id);
		check.result = 'right';
		if (!checks.has(check.word)) remember(check);
	} else if (check.result === 'right') return;
	else if (finding.error === 'invalid_signature') check.result = 'wrong';
	else if (finding.error === 'stale_timestamp') check.result = 'stale';
}

/**
 * Whether an event is the sample of a check, delivered again because nobody took it: it was the only one that came to the
 * check's address. Beside another it cannot be told from an event that came at that moment, which must not be lost.
 */
export function isSample(eventId: string): boolean {
	return [...checks.values()].some(({ refused }) => refused.size === 1 && refused.has(eventId));
}
