import type { Clock } from '../../../api/clock';

/** Each call rewrites the whole row, so one call records as many sends as are made in a second, within these limits. */
const MIN_BATCH = 25;
const MAX_BATCH = 125;

/**
 * Chooses what is begun together: something and what comes after it that is not known yet, as many as are likely to be sent in a
 * second.
 *
 * @param all in order
 */
export function createBatchChoice<Entry extends { id: string }>(
	all: readonly Entry[],
	{ now }: Pick<Clock, 'now'>,
	isKnown: (id: string) => boolean,
): (first: Entry) => Entry[] {
	const places = new Map<string, number>();
	for (const [place, { id }] of all.entries()) if (!places.has(id)) places.set(id, place);
	let lastSize = 0;
	let lastAt = 0;
	return (first) => {
		const perSecond = Math.round((lastSize * 1000) / (now() - lastAt));
		const size = Math.min(Math.max(perSecond || 0, MIN_BATCH), MAX_BATCH);
		const batch = new Map([[first.id, first]]);
		for (let place = places.get(first.id) ?? all.length; place < all.length && batch.size < size; place++) {
			const next = all[place] as Entry;
			if (!isKnown(next.id) && !batch.has(next.id)) batch.set(next.id, next);
		}
		lastSize = batch.size;
		lastAt = now();
		return [...batch.values()];
	};
}
