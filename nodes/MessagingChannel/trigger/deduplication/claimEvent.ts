import type { Clock } from '../../api/clock';
import type { InFlightEvents, Settle } from './inFlightEvents';

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
	// A timer does not depend on the clock, which can be set back.
	let timeUp: Promise<void> | undefined;
	for (;;) {
		const attempt = inFlight.claim(keys, clock.now(), retentionMs);
		if (attempt.isNew) return { state: 'first', settle: attempt.settle };
		if (attempt.claim.wasAccepted) return { state: 'accepted' };
		timeUp ??= clock.sleep(CLAIM_TIMEOUT_MS);
		const wasAccepted = await Promise.race([attempt.claim.accepted, timeUp]);
		if (wasAccepted === true) return { state: 'accepted' };
		if (wasAccepted === undefined) return { state: 'unknown' };
	}
}
