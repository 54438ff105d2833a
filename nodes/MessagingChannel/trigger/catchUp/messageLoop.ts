import type { Client } from '../../api/client';
import { repeat, startInBackground } from '../../n8n/backgroundLoop';
import { isOfOwnTrigger } from '../../webhook/triggerUrl';
import { readWebhookState } from '../../webhook/webhookState';
import { clock } from '../account/clock';
import { signingSecretIn } from '../delivery/secrets';
import { stateOf } from '../delivery/state';
import type { PublishedTrigger } from '../delivery/trigger';
import { createFetching, fetchOnce, type Mode } from './fetching';
import { pollIntervalMsOf } from './settings';

/**
 * Polls for the messages of a published trigger until n8n ends it. n8n calls this on the leader, when the workflow is
 * published and at each start.
 *
 * @returns ends it
 */
export function startPolling(trigger: PublishedTrigger): () => void {
	return startLoop(trigger, {
		firstPauseMs: 0,
		intervalMs: pollIntervalMsOf(trigger.parameters),
		minAgeSeconds: 0,
		isOnlySource: true,
		maxListAgeMs: 0,
		isWanted: async () => await Promise.resolve(true),
		failure: 'new messages could not be fetched:',
	});
}

/**
 * Looks for messages that were not delivered to a published trigger, or whose runs n8n cut off, until n8n ends it. n8n calls
 * this on the leader, when the workflow is published and at each start.
 *
 * @returns ends it
 */
export function startCatchUp(trigger: PublishedTrigger): () => void {
	return startLoop(trigger, {
		firstPauseMs: 30_000,
		intervalMs: 150_000,
		minAgeSeconds: 120,
		isOnlySource: false,
		maxListAgeMs: 60_000,
		isWanted: async (client) => await isSubscribed(trigger, client),
		failure: 'missed messages could not be looked for:',
	});
}

/**
 * Whether the account's webhook points to this n8n, or to nobody. The messages that another system received are not
 * missing. Another workflow of this n8n can have the webhook for a moment, until the trigger has joined it again.
 */
async function isSubscribed(trigger: PublishedTrigger, client: Client): Promise<boolean> {
	const ownUrl = String(trigger.saved.webhookUrl);
	const secret = signingSecretIn(await trigger.credential());
	const { subscribers } = await readWebhookState(client, secret, clock.now());
	if (subscribers.length === 0) return true;
	return subscribers.some(({ url, kind }) => kind !== 'external' && isOfOwnTrigger(url, ownUrl));
}

function startLoop(trigger: PublishedTrigger, mode: Mode): () => void {
	stateOf(trigger).isClosed = false;
	const stop = startInBackground(trigger, 'fetch', async (stopped) => {
		const fetching = createFetching(trigger, mode, stopped);
		const pass = async () => await fetchOnce(fetching);
		await repeat(trigger, { ...mode, clock, failurePauseMs: mode.intervalMs, pass }, stopped);
	});
	return () => {
		// n8n ends the triggers before it stops the executions.
		stateOf(trigger).isClosed = true;
		stop();
	};
}
