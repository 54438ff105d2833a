import { TOLERANCE_SECONDS } from './timestamp';

/** Twice the tolerance: a delivery stamped by a clock that is ahead stays fresh that long. */
export const MEMORY_MS = 2 * TOLERANCE_SECONDS * 1000;

/** More events than n8n can start in that time; with two keys each they take about 15 MB. */
const MOST_EVENTS = 50_000;

/** What became of an event that was handed to n8n. */
export interface Mark {
	readonly keys: readonly string[];
	/** When it was handed over, in Unix milliseconds. */
	readonly at: number;
	/** n8n took it. */
	readonly isTaken: boolean;
	/** Resolves to whether n8n took it. */
	readonly outcome: Promise<boolean>;
}

/** Says whether n8n took the event, and when, in Unix milliseconds; the first time counts. */
export type Settle = (taken: boolean, now: number) => void;

/** The events that are being taken or were taken lately. */
export interface Memory {
	/**
	 * Marks an event as being taken, unless one of its keys is marked. Looking and marking is one step, between which
	 * nothing else runs in this process.
	 */
	begin(
		keys: readonly string[],
		now: number,
	): { isNew: true; mark: Mark; settle: Settle } | { isNew: false; mark: Mark };
	/** Whether nothing in it matters any more. */
	isEmpty(now: number): boolean;
}

/**
 * An empty memory. An event that is being taken is not forgotten, as n8n may hold its execution back for hours and still
 * run it. n8n itself bounds how many these are: it keeps the whole delivery of each.
 *
 * @param mostEvents of the taken events, beyond this the oldest are forgotten
 */
export function createMemory(mostEvents = MOST_EVENTS): Memory {
	// When each was taken, in that order.
	const taken = new Map<Mark, number>();
	const byKey = new Map<string, Mark>();

	const forget = (mark: Mark) => {
		taken.delete(mark);
		for (const key of mark.keys) if (byKey.get(key) === mark) byKey.delete(key);
	};
	const forgetOld = (now: number) => {
		for (const [mark, takenAt] of taken) {
			if (now - takenAt <= MEMORY_MS) return;
			forget(mark);
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
		begin(keys, now) {
			forgetOld(now);
			const known = keys.map((key) => byKey.get(key)).find((mark) => mark !== undefined);
			if (known) return { isNew: false, mark: known };

			let resolve: (taken: boolean) => void = () => undefined;
			const outcome = new Promise<boolean>((resolved) => (resolve = resolved));
			const mark = { keys, at: now, isTaken: false, outcome };
			for (const key of keys) byKey.set(key, mark);
			let isSettled = false;
			const settle: Settle = (isTaken, settledAt) => {
				if (isSettled) return;
				isSettled = true;
				if (isTaken) {
					makeRoom();
					taken.set(mark, settledAt);
				} else {
					// Withdrawn, so that the next delivery of the event is taken (Delivery rules 5).
					forget(mark);
				}
				mark.isTaken = isTaken;
				resolve(isTaken);
			};
			return { isNew: true, mark, settle };
		},
	};
}
