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

/** Checks under way in this process, by the secret word in their addresses. */
const checks = new Map<string, SecretCheck>();

/**
 * Has the service send its sample event to an address that only this check knows (Delivery rules 6). So a delivery
 * there comes from the service for certain: a wrong signature means a wrong secret, not a forger.
 * Leaves the webhook as wished, unless the sample showed that no event could be verified.
 */
export async function checkSecret(client: Client, wish: Wish): Promise<SecretCheck> {
	const word = randomUUID();
	checks.set(word, 'unknown');
	await setWebhook(client, { ...wish, url: `${wish.url}?check=${word}` });
	// A service that cannot send samples is none the worse; then the first event shows it.
	await client.call({ call: sendTestEvent.call }).catch(() => undefined);
	for (let waited = 0; checks.get(word) === 'unknown' && waited < PATIENCE_MS; waited += LOOK_EVERY_MS) {
		await sleep(LOOK_EVERY_MS);
	}
	const result = checks.get(word) ?? 'unknown';
	checks.delete(word);
	if (result === 'right' || result === 'unknown') await setWebhook(client, wish);
	return result;
}

/** Whether an address is that of a check under way here. */
export function isCheck(word: unknown): word is string {
	return typeof word === 'string' && checks.has(word);
}

/** Tells a check what was found in a delivery to its address. */
export function reportCheck(word: string, finding: Finding): void {
	if (finding.outcome === 'genuine') checks.set(word, 'right');
	else if (checks.get(word) === 'right') return;
	else if (finding.error === 'invalid_signature') checks.set(word, 'wrong');
	else if (finding.error === 'stale_timestamp') checks.set(word, 'stale');
}
