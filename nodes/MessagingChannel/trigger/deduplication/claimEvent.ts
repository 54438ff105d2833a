import type { Clock } from '../../api/clock';
import type { Claim, InFlightEvents, Settle } from './inFlightEvents';

/** A second delivery waits so long for the first to be taken; the service gives up after 30 s by default. */
const PATIENCE_MS = 20_000;

/** What one of several deliveries of an event is to do. */
export type EventClaim =
	/** Hand the event to n8n, and say whether n8n took it. */
	| { is: 'first'; settle: Settle }
	/** Nothing more: n8n took the event from another delivery. */
	| { is: 'taken' }
	/** Come again: n8n has not said in time what became of the other delivery. */
	| { is: 'unknown' };

/**
 * Lets one of several deliveries of an event through. The others wait for what becomes of it, and when n8n did not take it,
 * one of them is let through in its place (Delivery rules 5).
 *
 * @param keys what the event is known by
 */
export async function claimEvent(
	keys: readonly string[],
	inFlight: InFlightEvents,
	clock: Pick<Clock, 'now' | 'sleep'>,
): Promise<EventClaim> {
	const patienceEnds = clock.now() + PATIENCE_MS;
	while (clock.now() < patienceEnds) {
		const begun = inFlight.claim(keys, clock.now());
		if (begun.isNew) return { is: 'first', settle: begun.settle };
		if (begun.claim.wasAccepted || (await isTakenBy(patienceEnds, begun.claim, clock)))
			return { is: 'taken' };
	}
	return { is: 'unknown' };
}

async function isTakenBy(time: number, claim: Claim, clock: Pick<Clock, 'now' | 'sleep'>): Promise<boolean> {
	return await Promise.race([claim.accepted, clock.sleep(time - clock.now()).then(() => false)]);
}
