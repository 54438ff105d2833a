import type { Clock } from '../../api/clock';
import type { KeyStore } from '../../n8n/keyStore';
import type { Claim } from './inFlightEvents';

/** Records keys in n8n's row of the trigger, and returns those that were there before. */
export type Store = KeyStore['record'];

/** Four keys for each of the latest 2,000 events: about 220 kB in the row. */
export const MOST_KEYS = 8_000;

/** While nobody asks, the row is written no more often than this. */
const GATHER_MS = 250;

/** The row of a busy trigger is large; so long as calls are short, they take a tenth of the time at most. */
const REST_PER_CALL = 9;

/** No event waits longer than this for the row to have rested. */
const MOST_REST_MS = 250;

/** Events that outlive a restart of n8n, for one trigger. */
export interface ProcessedEvents {
	/** Whether another process was done with the event. To be asked once: the next answer is that it is done. */
	wasProcessed(claim: Claim, store: Store): Promise<boolean>;
	/** Remembers the event as done, soon after so many milliseconds. */
	remember(claim: Claim, store: Store, afterMs: number): void;
}

interface Question {
	keys: readonly string[];
	answer: (wasDone: boolean) => void;
}

/**
 * Asks and records one call after the other and many events at a time, so that in one process no entry is lost. The more
 * time a call takes, the more events share the next one.
 *
 * An event is recorded as seen when it is first asked for, and as done later. Only one that was seen before is asked for
 * as done, which records that as well. So n8n killed at any moment leaves an event that it was not done with as seen,
 * and that alone stops nothing.
 *
 * @param onFailure told when the database could not be used; an event asked for then counts as new
 */
export function createProcessedEvents(
	{ now, sleep }: Pick<Clock, 'now' | 'sleep'>,
	onFailure: (error: unknown) => void,
): ProcessedEvents {
	let questions: Question[] = [];
	let done: string[] = [];
	let isGathering = false;
	let isPlanned = false;
	let last: Promise<void> = Promise.resolve();

	const use = async (store: Store, keys: string[]) => {
		const before = await store(keys).catch((error: unknown) => {
			onFailure(error);
			return [];
		});
		return new Set(before);
	};

	const flush = async (store: Store) => {
		const [asking, recording] = [questions, done];
		[questions, done] = [[], []];
		const seenNow = [...recording, ...asking.flatMap(({ keys }) => keys)];
		const before = await use(store, [...inState('done', recording), ...inState('seen', seenNow)]);
		const isIn = (state: string, known: Set<string>) => (question: Question) =>
			inState(state, question.keys).some((key) => known.has(key));
		const wasSeen = asking.filter(isIn('seen', before));
		const doneBefore =
			wasSeen.length > 0
				? await use(
						store,
						inState(
							'done',
							wasSeen.flatMap(({ keys }) => keys),
						),
					)
				: new Set<string>();
		const wasDone = new Set(wasSeen.filter(isIn('done', doneBefore)));
		for (const question of asking) question.answer(wasDone.has(question));
	};

	const flushNext = (store: Store) => {
		if (isPlanned) return;
		isPlanned = true;
		last = last.then(async () => {
			isPlanned = false;
			const began = now();
			await flush(store);
			await sleep(Math.min(REST_PER_CALL * (now() - began), MOST_REST_MS));
		});
	};

	return {
		wasProcessed: async (claim, store) =>
			await new Promise<boolean>((answer) => {
				questions.push({ keys: claim.keys, answer });
				flushNext(store);
			}),

		remember: (claim, store, afterMs) =>
			void sleep(afterMs).then(async () => {
				done.push(...claim.keys);
				if (isGathering) return;
				isGathering = true;
				await sleep(GATHER_MS);
				isGathering = false;
				if (done.length > 0) flushNext(store);
			}),
	};
}

function inState(state: string, keys: readonly string[]): string[] {
	return keys.map((key) => `${state} ${key}`);
}
