import { NO_RETRIES } from '../api/apiRequest';
import { SEND_TEST_EVENT } from '../api/endpoints';
import type { ApiError } from '../api/errors';
import type { ReportContext } from '../operation/operation';
import { clock as triggerClock } from '../trigger/account/clock';
import type { DeliveryEnd } from '../trigger/account/account';
import type { Subscriber, Subscribers } from '../webhook/subscribers';
import { askTrigger, statusOf, type TriggerAnswer } from './askTrigger';
import { attempt } from './read';

/** A receiver of events. */
export interface AskedReceiver {
	subscriber: Subscriber;
	/** What came back from its URL. Only workflows are asked, and only with a secret. */
	answer?: TriggerAnswer;
}

/** What became of the sample event, an error of the request for it, or nothing that is known. */
export type Sample = { end: DeliveryEnd } | { error: ApiError } | 'missing';

/** What is needed to ask. */
type Asking = Pick<ReportContext, 'request' | 'instanceId' | 'clock'>;

/** Asks the receivers of a webhook what they know. */
export async function askReceivers(
	subscribers: Subscribers,
	secret: string,
	{ clock, ...asking }: Asking,
): Promise<AskedReceiver[]> {
	return await Promise.all(
		subscribers.map(async (subscriber) => {
			if (secret === '' || subscriber.kind !== 'workflow') return { subscriber };
			return { subscriber, answer: await askTrigger(subscriber.url, secret, asking, clock.now()) };
		}),
	);
}

/** How often, and how long apart, the hub is asked whether the sample has arrived. */
const LOOKS = 10;
const PAUSE_MS = 1_000;

/**
 * Has the service send its sample event (API spec, "Delivery rules" 6), and waits until the hub has received it.
 *
 * @returns undefined if the hub cannot tell
 */
export async function sendSample(
	[hub]: AskedReceiver[],
	secret: string,
	{ client, clock, ...asking }: Asking & Pick<ReportContext, 'client'>,
): Promise<Sample | undefined> {
	if (!hub || !statusOf(hub.answer)) return undefined;
	const sentAt = triggerClock.elapsed();
	const sent = await attempt(
		async () => await client.call({ endpoint: SEND_TEST_EVENT, limits: NO_RETRIES }),
	);
	if ('error' in sent) return sent;
	for (let look = 0; look < LOOKS; look++) {
		const answer = await askTrigger(hub.subscriber.url, secret, asking, clock.now());
		// Each time, another process may answer, which counts for itself.
		const last = Object.entries(statusOf(answer)?.lastMsAgo ?? {});
		const arrived = last
			.filter(([, msAgo]) => msAgo <= triggerClock.elapsed() - sentAt)
			.map(([each]) => each);
		// A forged delivery may arrive at the same time.
		const end = arrived.find((each) => each === 'verified') ?? arrived[0];
		if (end !== undefined) return { end };
		await clock.sleep(PAUSE_MS);
	}
	return 'missing';
}
