import { TOLERANCE_SECONDS } from '../../api/timestampTolerance';

/** Twice the tolerance: a delivery stamped by a clock that is ahead stays fresh that long. */
export const REMEMBERED_MS = 2 * TOLERANCE_SECONDS * 1000;

/** More events than n8n can start in that time; with two keys each they take about 15 MB. */
const MOST_EVENTS = 50_000;

/** What became of an event that was handed to n8n. */
export interface Claim {
	readonly keys: readonly string[];
	/** When it was handed over, in Unix milliseconds. */
	readonly at: number;
	/** n8n took it. */
	readonly wasAccepted: boolean;
	/** Resolves to whether n8n took it. */
	readonly accepted: Promise<boolean>;
}

/** Says whether n8n took the event, and when, in Unix milliseconds; the first time counts. */
export type Settle = (taken: boolean, now: number) => void;

/** The events that are being taken or were taken lately. */
export interface InFlightEvents {
	/**
	 * Marks an event as being taken, unless one of its keys is marked. Looking and marking is one step, between which
	 * nothing else runs in this process.
	 */
	claim(
		keys: readonly string[],
		now: number,
	): { isNew: true; claim: Claim; settle: Settle } | { isNew: false; claim: Claim };
	/** Whether nothing in it matters any more. */
	isEmpty(now: number): boolean;
}

/**
 * An empty memory. An event that is being taken is not forgotten, as n8n may hold its execution back for hours and still
 * run it. n8n itself bounds how many these are: it keeps the whole delivery of each.
 *
 * @param mostEvents of the taken events, beyond this the oldest are forgotten
 */
export function createInFlightEvents(mostEvents = MOST_EVENTS): InFlightEvents {
	// When each was taken, in that order.
	const taken = new Map<Claim, number>();
	const byKey = new Map<string, Claim>();

	const forget = (claim: Claim) => {
		taken.delete(claim);
		for (const key of claim.keys) if (byKey.get(key) === claim) byKey.delete(key);
	};
	const forgetOld = (now: number) => {
		for (const [claim, takenAt] of taken) {
			if (now - takenAt <= REMEMBERED_MS) return;
			forget(claim);
		}
	};
	const makeRoom = () => {
		const [oldest] = taken.keys();
		if (oldest && taken.size >= mostEvents) forget(oldest);
	};

	return {
		isEmpty(now) {
			forgetOld(now);
			return byKey.size === 0;
		},
		claim(keys, now) {
			forgetOld(now);
			const known = keys.map((key) => byKey.get(key)).find((claim) => claim !== undefined);
			if (known) return { isNew: false, claim: known };

			let resolve: (taken: boolean) => void = () => undefined;
			const accepted = new Promise<boolean>((resolved) => (resolve = resolved));
			const claim = { keys, at: now, wasAccepted: false, accepted };
			for (const key of keys) byKey.set(key, claim);
			let isSettled = false;
			const settle: Settle = (isAccepted, settledAt) => {
				if (isSettled) return;
				isSettled = true;
				if (isAccepted) {
					makeRoom();
					taken.set(claim, settledAt);
				} else {
					// Withdrawn, so that the next delivery of the event is taken (Delivery rules 5).
					forget(claim);
				}
				claim.wasAccepted = isAccepted;
				resolve(isAccepted);
			};
			return { isNew: true, claim, settle };
		},
	};
}
