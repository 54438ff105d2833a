import type { Clock } from '../../api/clock';
import { TOLERANCE_MS } from '../../api/timestampTolerance';

/** Twice the tolerance: a delivery from a clock that is ahead stays fresh for this long. */
export const RETENTION_MS = 2 * TOLERANCE_MS;

/**
 * An event for several receivers comes again until all of them have it. The service does not document for how long (API
 * spec, "Delivery rules").
 */
export const SHARED_RETENTION_MS = 24 * 60 * 60 * 1000;

/** 250 a second within the retention time, and 500 a second within the tolerance; about 70 MB with two keys each. */
const MAX_ACCEPTED_EVENTS = 150_000;

/** The claim of one delivery on an event, and whether n8n accepted the event. */
export interface Claim {
	readonly keys: readonly string[];
	/** When it was made, by `clock.elapsed`. */
	readonly claimedAt: number;
	/** Whether n8n has accepted the event. */
	readonly wasAccepted: boolean;
	/** Resolves to whether n8n accepted the event. */
	readonly accepted: Promise<boolean>;
	/** The execution that runs the event. */
	executionId?: string;
	/** Whether this process has dropped the event, because it ran elsewhere. */
	ranElsewhere: boolean;
}

/** Reports whether n8n accepted the event. Only the first call counts. */
type Settle = (wasAccepted: boolean) => void;

/** The events that are in flight or were accepted recently, for one trigger in this process. */
export interface InFlightEvents {
	/**
	 * Claims an event unless one of its keys is already claimed. The check and the claim are one synchronous step, so two
	 * deliveries cannot both succeed.
	 *
	 * @param retentionMs how long the event is remembered after n8n has accepted it
	 * @returns the new claim, or the existing one
	 */
	claim(
		keys: readonly string[],
		retentionMs?: number,
	): { isNew: true; claim: Claim; settle: Settle } | { isNew: false; claim: Claim };
	/** Whether a delivery has claimed one of the keys, and n8n has neither accepted nor rejected it. */
	isInFlight(keys: readonly string[]): boolean;
	/** Whether no claim is left. */
	isEmpty(): boolean;
}

/**
 * Creates an empty store. Claims on events in flight never expire, because n8n can queue an execution for hours. Their
 * number needs no limit: n8n keeps each delivery in memory anyway.
 *
 * @param maxEvents the maximum number of accepted events; the oldest are removed first
 */
export function createInFlightEvents(
	clock: Pick<Clock, 'elapsed'>,
	maxEvents = MAX_ACCEPTED_EVENTS,
): InFlightEvents {
	/** When each accepted claim is forgotten, in the order of their acceptance. */
	const expiresAt = new Map<Claim, number>();
	const claimsByKey = new Map<string, Claim>();

	const remove = (claim: Claim) => {
		expiresAt.delete(claim);
		for (const key of claim.keys) claimsByKey.delete(key);
	};
	const removeExpired = () => {
		for (const [claim, claimExpiresAt] of expiresAt) {
			if (clock.elapsed() <= claimExpiresAt) return;
			remove(claim);
		}
	};
	const makeRoom = () => {
		const [oldest] = expiresAt.keys();
		if (oldest && expiresAt.size >= maxEvents) remove(oldest);
	};

	return {
		isInFlight: (keys) => keys.some((key) => claimsByKey.get(key)?.wasAccepted === false),
		isEmpty() {
			removeExpired();
			return claimsByKey.size === 0;
		},
		claim(keys, retentionMs = RETENTION_MS) {
			removeExpired();
			const existing = keys.map((key) => claimsByKey.get(key)).find((claim) => claim !== undefined);
			if (existing) return { isNew: false, claim: existing };

			let resolve: (wasAccepted: boolean) => void = () => undefined;
			const accepted = new Promise<boolean>((resolved) => (resolve = resolved));
			const claim = { keys, claimedAt: clock.elapsed(), wasAccepted: false, accepted, ranElsewhere: false };
			for (const key of keys) claimsByKey.set(key, claim);
			let isSettled = false;
			const settle: Settle = (wasAccepted) => {
				if (isSettled) return;
				isSettled = true;
				if (wasAccepted) {
					makeRoom();
					expiresAt.set(claim, clock.elapsed() + retentionMs);
				} else {
					// The next delivery of the event can then claim it (API spec, "Delivery rules" 5).
					remove(claim);
				}
				claim.wasAccepted = wasAccepted;
				resolve(wasAccepted);
			};
			return { isNew: true, claim, settle };
		},
	};
}

/** How long a delivery waits for an earlier one. The service's own timeout is 30 s by default. */
const CLAIM_TIMEOUT_MS = 20_000;

/** The result of a delivery's attempt to claim its event. */
export type EventClaim =
	/** The event is new. The delivery passes it to n8n and reports the acceptance with `settle`. */
	| { state: 'first'; settle: (wasAccepted: boolean) => void }
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
	clock: Pick<Clock, 'sleep'>,
	retentionMs?: number,
): Promise<EventClaim> {
	let timeUp: Promise<void> | undefined;
	for (;;) {
		const attempt = inFlight.claim(keys, retentionMs);
		if (attempt.isNew) return { state: 'first', settle: attempt.settle };
		if (attempt.claim.wasAccepted) return { state: 'accepted' };
		timeUp ??= clock.sleep(CLAIM_TIMEOUT_MS);
		const wasAccepted = await Promise.race([attempt.claim.accepted, timeUp]);
		if (wasAccepted === true) return { state: 'accepted' };
		if (wasAccepted === undefined) return { state: 'unknown' };
	}
}
