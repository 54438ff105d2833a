import fc from 'fast-check';

import { playCopies } from './copies';

const HISTORIES = 10;

const numbers = fc.array(fc.nat(1_000_000), { minLength: 20_000, maxLength: 20_000 });

/** How many of a hundred events run twice, without `hash $event` in the load balancer. */
async function percentTwice(gapMs: number): Promise<number> {
	const outcomes = await Promise.all(
		fc
			.sample(numbers, { numRuns: HISTORIES, seed: 1 })
			.map(async (chosen) => await playCopies(gapMs, chosen)),
	);
	const sum = (of: 'events' | 'ranTwice') => outcomes.reduce((total, outcome) => total + outcome[of], 0);
	return (100 * sum('ranTwice')) / sum('events');
}

// One event in four reaches two webhook processors and two workers.
test.each([
	['nearly all events run once when their copies come at the same moment', 0, 5],
	['all events run once when their copies come a second apart', 1_000, 0.5],
])('%s', async (_, gapMs, mostPercent) => {
	expect(await percentTwice(gapMs)).toBeLessThanOrEqual(mostPercent);
});
