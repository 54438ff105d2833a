import type { Clock } from '../../api/clock';
import type { Claim, InFlightEvents, Settle } from './inFlightEvents';

/** How long a delivery waits for an earlier one. The service's own timeout is 30 s by default. */
const CLAIM_TIMEOUT_MS = 20_000;

/** The result of a delivery's attempt to claim its event. */
export type EventClaim =
	/** The event is new. The delivery passes it to n8n and reports the acceptance with `settle`. */
	| { state: 'first'; settle: Settle }
	/** n8n has accepted the event from another delivery. */
	| { state: 'accepted' }
	/** n8n did not accept or reject the other delivery in time. */
	| { state: 'unknown' };

/**
 * Claims an event for one of its deliveries (API spec, "Delivery rules" 2 and 5). The other deliveries wait for the
 * result. If n8n did not accept the event, one of them claims it instead.
 *
 * @param keys the keys of the event; deliveries with a common key are duplicates
 * @param retentionMs how long the event is remembered after n8n has accepted it
 */
export async function claimEvent(
	keys: readonly string[],
	inFlight: InFlightEvents,
	clock: Pick<Clock, 'now' | 'sleep'>,
	retentionMs?: number,
): Promise<EventClaim> {
	const deadline = clock.now() + CLAIM_TIMEOUT_MS;
	while (clock.now() < deadline) {
		const attempt = inFlight.claim(keys, clock.now(), retentionMs);
		if (attempt.isNew) return { state: 'first', settle: attempt.settle };
		if (attempt.claim.wasAccepted || (await isAcceptedBefore(deadline, attempt.claim, clock)))
			return { state: 'accepted' };
	}
	return { state: 'unknown' };
}

async function isAcceptedBefore(
	deadline: number,
	claim: Claim,
	clock: Pick<Clock, 'now' | 'sleep'>,
): Promise<boolean> {
	return (await Promise.race([claim.accepted, clock.sleep(deadline - clock.now())])) === true;
}
