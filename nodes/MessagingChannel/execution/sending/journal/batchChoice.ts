import type { Clock } from '../../../api/clock';

/** Each call rewrites the whole row, so one call records as many sends as are made in a second, within these limits. */
const MIN_BATCH = 25;
const MAX_BATCH = 125;

/** Chooses what is begun together. */
export interface BatchChoice<Entry> {
	/** Something and what comes after it that is not known yet, as many as are likely to be sent meanwhile. */
	from(first: Entry): Entry[];
	/** What is likely to be asked for when the last batch has been; undefined while that has not begun. */
	next(asked: Entry): Entry | undefined;
}

/**
 * Creates the choice of what is begun together.
 *
 * @param all in order
 * @param seconds how long a batch lasts
 */
export function createBatchChoice<Entry extends { id: string }>(
	all: readonly Entry[],
	{ elapsed }: Pick<Clock, 'elapsed'>,
	isKnown: (id: string) => boolean,
	seconds: number,
): BatchChoice<Entry> {
	const places = new Map<string, number>();
	for (const [place, { id }] of all.entries()) if (!places.has(id)) places.set(id, place);
	let last = new Map<string, Entry>();
	let lastAt = 0;
	const placeOf = ({ id }: Entry) => places.get(id) ?? all.length;
	return {
		from(first) {
			const during = Math.round((last.size * seconds * 1000) / (elapsed() - lastAt));
			const size = Math.min(Math.max(during || 0, MIN_BATCH), MAX_BATCH * seconds);
			const batch = new Map([[first.id, first]]);
			for (let place = placeOf(first); place < all.length && batch.size < size; place++) {
				const next = all[place] as Entry;
				if (!isKnown(next.id) && !batch.has(next.id)) batch.set(next.id, next);
			}
			last = batch;
			lastAt = elapsed();
			return [...batch.values()];
		},
		next: (asked) =>
			last.has(asked.id) ? all.slice(placeOf(asked)).find(({ id }) => !isKnown(id)) : undefined,
	};
}
